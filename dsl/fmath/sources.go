package fmath

import "embed"

//go:embed exp.go log.go mod.go pow.go tables.go tanh.go
var sources embed.FS

// Sources returns the Go files of the functions, for programs that write a copy of them.
func Sources() embed.FS { return sources }
