package system

// Severity is how bad a finding is.
type Severity string

// The severities of findings.
const (
	// Warning is a weakness that an instance can live with.
	Warning Severity = "warning"
	// Error is a setting that defeats a protection.
	Error Severity = "error"
)

// SchemaFragment describes the severity in a JSON Schema.
func (Severity) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Warning), string(Error)}}
}

// Finding is something in the configuration that is weak or contradictory.
type Finding struct {
	Variable string   `json:"variable" doc:"Environment variable the finding is about."`
	Severity Severity `json:"severity" doc:"Severity of the finding. warning: a weakness the instance can run with. error: a protection does not work."`
	Message  string   `json:"message" doc:"Description of the problem."`
	Mend     string   `json:"mend" doc:"How to fix the problem."`
}

func (f Finding) defeats() bool { return f.Severity == Error }
