package fault

import (
	"fmt"
	"strconv"
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

// LimitReached returns the error of having as many things as the limit allows, such as
// "feature limit reached (1,000): delete unused features". The thing is in the singular.
// The remedy tells the caller what to do; "" if nothing can be done.
func LimitReached(thing string, limit int, remedy string) *Error {
	message := thing + " limit reached (" + Grouped(limit) + ")"
	if remedy != "" {
		message += ": " + remedy
	}
	return New(Validation, message)
}

// Grouped returns a number for a message, its thousands separated by commas.
func Grouped(number int) string {
	text := strconv.Itoa(number)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
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
