package schema

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

var errMoment = errors.New("not a moment")

const location = "https://gatehouse.internal/schema"

// compile makes the tree that judges documents, and the parsed document.
func compile(document []byte) (*node, any, error) {
	tree, err := validator.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, nil, fmt.Errorf("read back: %w", err)
	}
	compiler := validator.NewCompiler()
	compiler.DefaultDraft(validator.Draft2020)
	compiler.AssertFormat()
	compiler.AssertContent()
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(pattern)
	// Addresses are parsed by their value object, which may take more or less.
	compiler.RegisterFormat(&validator.Format{Name: "email", Validate: func(any) error { return nil }})
	compiler.RegisterFormat(&validator.Format{Name: "date-time", Validate: isMoment})
	if err := compiler.AddResource(location, tree); err != nil {
		return nil, nil, fmt.Errorf("add: %w", err)
	}
	whole, err := compiler.Compile(location)
	if err != nil {
		return nil, nil, fmt.Errorf("compile: %w", err)
	}
	return plan(tree, whole), tree, nil
}

// patterns are those that were compiled: most stand in many schemas.
var patterns remembered[string, *regexp.Regexp] //nolint:gochecknoglobals // nothing in it depends on who asks

func pattern(text string) (validator.Regexp, error) {
	compiled, err := patterns.of(text, regexp.Compile)
	if err != nil {
		return nil, err
	}
	return compiled, nil
}

// isMoment takes the times of RFC 3339 that can be handled: those that are of a
// year of four digits also in UTC, without which they cannot be written again,
// and not the zero time, which would be taken for an absent one.
func isMoment(value any) error {
	text, isText := value.(string)
	if !isText {
		return nil
	}
	const last = 9999
	moment, err := time.Parse(time.RFC3339, text)
	if year := moment.UTC().Year(); err != nil || year < 1 || year > last || moment.IsZero() {
		return errMoment
	}
	return nil
}

// noLoader keeps schemas from being fetched: ours refer to nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("a schema refers to another") }
