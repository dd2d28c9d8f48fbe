package fault

import (
	"fmt"
	"strings"
	"unicode"
)

// spelled is how many complaints the message itself repeats.
const spelled = 3

// Refuse returns a validation error with these fields; its message is about the first
// one, for clients that ignore fields.
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

// Unfit returns a validation error of a parameter, given as a JSON Pointer. The message
// continues the name, such as "must be in the future"; a complete sentence belongs to
// Invalid.
func Unfit(path, message string) *Error {
	return Refuse(Field{Path: path, Message: message})
}

// nameLimit is how much of one member's name a message repeats.
const nameLimit = 64

// Pointer returns a JSON Pointer (RFC 6901) of names and indexes, safe to show: names
// are the client's text, so they are truncated to 64 characters and stripped of
// unprintable ones.
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
