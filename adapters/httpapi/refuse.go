package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// ended fails unless only white space follows what was read.
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

// notAnObject returns the error of a body that is another value, or invalid.
func (in *reader) notAnObject(raw []byte) *fault.Error {
	if _, err := in.decoder.ReadValue(); err != nil {
		return malformed(raw, err)
	}
	if refused := in.ended(raw); refused != nil {
		return refused
	}
	return fault.Refuse(fault.Field{Message: "the body must be an object"})
}

// bounded fails for JSON nested deeper than maxDepth, or with an object of more than
// maxNames names. It runs before the decoder, for which both are expensive. Most bodies
// have fewer brackets and colons in total, which is cheap to count.
func bounded(raw []byte) *fault.Error {
	if bytes.Count(raw, []byte{'{'})+bytes.Count(raw, []byte{'['}) <= maxDepth && bytes.Count(raw, []byte{':'}) <= maxNames {
		return nil
	}
	var names [maxDepth + 1]int
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = closingQuote(raw, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return fault.New(fault.Validation, fmt.Sprintf("JSON is nested deeper than %d levels at byte %d", maxDepth, i))
			}
			names[depth] = 0
		case '}', ']':
			depth = max(depth-1, 0)
		case ':':
			if names[depth]++; names[depth] > maxNames {
				return fault.New(fault.Validation, fmt.Sprintf("a JSON object has more than %d names at byte %d", maxNames, i))
			}
		}
	}
	return nil
}

// closingQuote returns the index of the end of the string that starts at i.
func closingQuote(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// malformed returns a syntax error without the library's message, which quotes input:
// bodies contain passwords.
func malformed(raw []byte, err error) *fault.Error {
	at := int64(0)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	switch {
	case !utf8.Valid(raw):
		return malformedAt(at, "invalid UTF-8")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformedAt(int64(len(raw)), "unexpected end of input")
	case errors.Is(err, io.EOF):
		return malformedAt(0, "empty input")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformedAt(at, "duplicate name in an object")
	case errors.Is(err, jsontext.ErrNonStringName):
		return malformedAt(at, "a name must be a string")
	default:
		return malformedAt(at, "unexpected character")
	}
}

func malformedAt(at int64, why string) *fault.Error {
	return fault.New(fault.Validation, fmt.Sprintf("malformed JSON at byte %d: %s", at, why))
}
