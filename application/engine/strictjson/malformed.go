package strictjson

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// malformed words a syntax error of the library without its text, which quotes
// characters of the input.
func malformed(err error) *fault.Error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformedAt(offset(syntax), "unexpected end of input")
	case errors.Is(err, io.EOF):
		return malformedAt(0, "empty input")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformedAt(offset(syntax), "duplicate name in an object")
	case ok && syntax.Err != nil && syntax.Err.Error() == "invalid UTF-8":
		return malformedAt(offset(syntax), "invalid UTF-8")
	default:
		return malformedAt(offset(syntax), "unexpected character")
	}
}

func offset(syntax *jsontext.SyntacticError) int64 {
	if syntax == nil {
		return 0
	}
	return syntax.ByteOffset
}

func malformedAt(at int64, why string) *fault.Error {
	return fault.New(fault.Validation, fmt.Sprintf("malformed JSON at byte %d: %s", at, why))
}
