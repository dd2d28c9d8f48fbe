package strictjson

import (
	"fmt"
	"strings"

	"gatehouse.internal/domain/fault"
)

// spelled is how many complaints the message itself repeats.
const spelled = 3

// Refuse is the validation error that carries these complaints; its message
// spells the first of them out, for those who read no fields.
func Refuse(fields ...fault.Field) *fault.Error {
	said := make([]string, 0, spelled)
	for _, field := range fields[:min(len(fields), spelled)] {
		said = append(said, strings.TrimLeft(field.Path+" "+field.Message, " "))
	}
	message := strings.Join(said, "; ")
	if rest := len(fields) - len(said); rest > 0 {
		message = fmt.Sprintf("%s; and %d more", message, rest)
	}
	refusal := fault.New(fault.Validation, message)
	refusal.Fields = fields
	return refusal
}
