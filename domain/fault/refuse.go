package fault

import (
	"fmt"
	"strings"
	"unicode"
)

// spelled is how many complaints the message itself repeats.
const spelled = 3

// Refuse returns the validation error that carries these complaints; its message
// spells the first of them out, for those who read no fields.
func Refuse(fields ...Field) *Error {
	said := make([]string, 0, spelled)
	for _, field := range fields[:min(len(fields), spelled)] {
		said = append(said, strings.TrimLeft(field.Path+" "+field.Message, " "))
	}
	message := strings.Join(said, "; ")
	if rest := len(fields) - len(said); rest > 0 {
		message = fmt.Sprintf("%s; and %d more", message, rest)
	}
	refusal := New(Validation, message)
	refusal.Fields = fields
	return refusal
}

// Unfit returns a validation error about one parameter, named by its JSON Pointer. The
// message goes on after its name, as "must be in the future" does; one that says all
// by itself goes to Invalid.
func Unfit(path, message string) *Error {
	return Refuse(Field{Path: path, Message: message})
}

// nameLimit is how much of one member's name a message repeats.
const nameLimit = 64

// Pointer makes the JSON Pointer (RFC 6901) of a place from the names and
// indexes that lead to it, fit to be shown: a name is the client's own text, so
// it is cut after 64 characters and rid of what does not print.
func Pointer(names ...string) string {
	var path strings.Builder
	for _, name := range names {
		path.WriteByte('/')
		appendName(&path, name)
	}
	return path.String()
}

func appendName(path *strings.Builder, name string) {
	written := 0
	for _, r := range name {
		if written == nameLimit {
			return
		}
		switch {
		case r == '~':
			path.WriteString("~0")
		case r == '/':
			path.WriteString("~1")
		case unicode.IsPrint(r):
			path.WriteRune(r)
		default:
			continue
		}
		written++
	}
}
