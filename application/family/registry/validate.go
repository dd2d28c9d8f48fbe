package registry

import (
	"bytes"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// ValidateParams are the parameters of REGISTRY.VALIDATE.
type ValidateParams struct {
	Command string `json:"command" doc:"Name of the command. Goes inside params: the top-level command names the command you call." jsonschema:"maxLength=100,pattern=^[A-Z][A-Z0-9_]*\\.[A-Z][A-Z0-9_]*$,example=SESSION.REVOKE"`
	Params  Object `json:"params,omitzero" doc:"Parameters to check. Defaults to no parameters."`
}

// Object is a JSON object kept as it was sent.
type Object []byte

// UnmarshalJSON keeps the bytes.
func (o *Object) UnmarshalJSON(raw []byte) error {
	*o = bytes.Clone(raw)
	return nil
}

// SchemaFragment describes any object in a JSON Schema.
func (Object) SchemaFragment() map[string]any { return map[string]any{"type": "object"} }

// ValidateResult is the result of REGISTRY.VALIDATE.
type ValidateResult struct {
	Valid  bool    `json:"valid" doc:"Whether the parameters are valid. Rules that depend on stored data are not checked."`
	Fields []Field `json:"fields" doc:"Validation errors. At most 50."`
}

// Field is a complaint in results.
type Field struct {
	Path    string `json:"path" doc:"JSON Pointer (RFC 6901) into the parameters. Empty if the error concerns the parameters as a whole."`
	Message string `json:"message" doc:"Description of the error."`
}

func (s *Service) validate() command.Definition {
	return command.Define(command.Spec[ValidateParams, ValidateResult]{
		Name:    "REGISTRY.VALIDATE",
		Summary: "Validate parameters against a command without running it.",
		Access:  access.Public(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, _ command.Call, p ValidateParams) (ValidateResult, error) {
			d, err := s.find(p.Command)
			if err != nil {
				return ValidateResult{}, err
			}
			if len(p.Params) == 0 {
				p.Params = Object("{}")
			}
			complaints := complain(d, p.Params)
			shown := ValidateResult{Valid: len(complaints) == 0}
			for _, c := range complaints {
				shown.Fields = append(shown.Fields, Field(c))
			}
			return shown, nil
		},
	})
}

// complain lists what is wrong with parameters: first by the schema, then by
// the value objects, which know more than a schema can say.
func complain(d *command.Definition, raw []byte) []fault.Field {
	if complaints := d.Params.Validate(raw); len(complaints) > 0 {
		return complaints
	}
	_, err := d.Decode(raw)
	if err == nil {
		return nil
	}
	refusal := fault.From(err)
	if len(refusal.Fields) == 0 {
		return []fault.Field{{Message: refusal.Message}}
	}
	return refusal.Fields
}
