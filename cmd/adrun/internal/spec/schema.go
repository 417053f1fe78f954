package spec

import "github.com/google/jsonschema-go/jsonschema"

// Schema returns the JSON schema of a spec.
func Schema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Spec](nil)
	if err != nil {
		return nil, err
	}
	s.Title = "adrun spec"
	return s, nil
}
