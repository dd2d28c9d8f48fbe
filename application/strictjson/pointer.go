package strictjson

import (
	"strings"
	"unicode"
)

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
