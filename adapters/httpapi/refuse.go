package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// ended tells whether nothing but white space follows what was read.
func (in *reader) ended(raw []byte) *fault.Error {
	end := in.decoder.InputOffset()
	if _, err := in.decoder.ReadToken(); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if !utf8.Valid(raw) {
			return malformed(raw, err)
		}
		return malformedAt(end, "more data after the value")
	}
	return nil
}

// notAnObject tells another value from no value.
func (in *reader) notAnObject(raw []byte) *fault.Error {
	if _, err := in.decoder.ReadValue(); err != nil {
		return malformed(raw, err)
	}
	if refused := in.ended(raw); refused != nil {
		return refused
	}
	return complaints([]fault.Field{{Message: "the body must be an object"}})
}

// nested tells whether JSON nests no deeper than maxDepth. It comes before the
// decoder, for which depth is costly. Most bodies have fewer brackets than that,
// and counting them is the cheapest.
func nested(raw []byte) *fault.Error {
	if bytes.Count(raw, []byte{'{'})+bytes.Count(raw, []byte{'['}) <= maxDepth {
		return nil
	}
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = closingQuote(raw, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return fault.New(fault.Validation, fmt.Sprintf("JSON nests deeper than %d levels at byte %d", maxDepth, i))
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// closingQuote finds the end of the string that opens at i.
func closingQuote(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// malformed words a syntax error without the library's text, which quotes
// characters of the input: bodies hold passwords.
func malformed(raw []byte, err error) *fault.Error {
	at := int64(0)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	switch {
	case !utf8.Valid(raw):
		return malformedAt(at, "invalid UTF-8")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformedAt(int64(len(raw)), "it ends too early")
	case errors.Is(err, io.EOF):
		return malformedAt(0, "it is empty")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformedAt(at, "a name stands twice in one object")
	case errors.Is(err, jsontext.ErrNonStringName):
		return malformedAt(at, "a name must be a string")
	default:
		return malformedAt(at, "unexpected character")
	}
}

func malformedAt(at int64, why string) *fault.Error {
	return fault.New(fault.Validation, fmt.Sprintf("malformed JSON at byte %d: %s", at, why))
}

// complaints is the validation fault of these fields; its message spells the
// first three out, for those who read no fields.
func complaints(fields []fault.Field) *fault.Error {
	const spelled = 3
	said := make([]string, 0, spelled)
	for _, field := range fields[:min(len(fields), spelled)] {
		said = append(said, strings.TrimLeft(field.Path+" "+field.Message, " "))
	}
	message := strings.Join(said, "; ")
	if rest := len(fields) - len(said); rest > 0 {
		message = fmt.Sprintf("%s; and %d more", message, rest)
	}
	refused := fault.New(fault.Validation, message)
	refused.Fields = fields
	return refused
}

// pointer makes the JSON Pointer (RFC 6901) of a member, fit to be shown: a name
// is the client's own text, so it is cut after 64 characters and rid of what
// does not print.
func pointer(name []byte) string {
	const limit = 64
	var path strings.Builder
	path.WriteByte('/')
	written := 0
	for _, r := range string(name) {
		if written == limit {
			break
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
	return path.String()
}
