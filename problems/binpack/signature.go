package binpack

import _ "embed"

//go:embed binpack.rule
var signatureText string

//go:embed rules/best_fit.rule
var bestFitText string

// SignatureText returns the declaration of binpack.priority, the signature that rules of this problem implement: its
// inputs in the order of [Item] to [MaxBin], with their domains and meaning.
func SignatureText() string { return signatureText }

// BestFitText returns best fit as a rule of the signature: the usual start of an evolution.
func BestFitText() string { return bestFitText }
