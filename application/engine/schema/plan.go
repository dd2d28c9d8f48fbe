package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
)

// form is how a value is validated.
type form uint8

const (
	anything form = iota // not at all
	object               // by property
	list                 // by item
	text
	truth
	integer
	number
	several // by the one of several types that it has
)

// requiredLimit is the maximum number of required properties of an object: each is a bit of
// one word.
const requiredLimit = 64

// node validates the values at one path of a document.
type node struct {
	form     form
	types    []string
	nullable bool
	hint     string
	each     []*node // one for each of several types

	properties map[string]property
	required   []string
	closed     bool
	rest       *node // validates properties that are not named; nil accepts all

	items    *node // nil accepts all
	unique   bool
	distinct bool // most is the number of distinct items that exist

	least, most int64 // of items, characters, properties or the integer itself
	low, high   *big.Rat

	enum     []any           // nil accepts all
	accepted map[string]bool // the strings of enum
	pattern  *regexp.Regexp
	format   string
	read     reader // nil if the schema alone decides whether a string is valid
}

// property is a named property of an object; required is its bit, or 0.
type property struct {
	*node
	name     string
	required uint64
}

// keywordsOf returns the keywords that are supported in a schema of one type.
func keywordsOf(kind string) []string {
	switch kind {
	case "object":
		return []string{"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
	case "array":
		return []string{"items", "minItems", "maxItems", "uniqueItems"}
	case "string":
		return []string{"minLength", "maxLength", "pattern", "format", "enum"}
	case "integer", "number":
		return []string{"minimum", "maximum"}
	default:
		return nil
	}
}

// plan returns the node for a schema, given its document and the type that it describes. It
// fails for a keyword that is not supported.
func plan(tree any, t reflect.Type) (*node, error) {
	if tree == nil || tree == true {
		return &node{}, nil
	}
	said, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema of %s is no object", t)
	}
	n := &node{least: math.MinInt64, most: math.MaxInt64}
	kinds := n.readTypes(said["type"])
	var known []string
	for _, kind := range kinds {
		known = append(known, keywordsOf(kind)...)
	}
	for keyword := range said {
		switch keyword {
		case "type", "$schema", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			if !slices.Contains(known, keyword) {
				return nil, fmt.Errorf("the keyword %q of a schema of the types %v is not judged", keyword, kinds)
			}
		}
	}
	if len(kinds) == 1 {
		return n, n.fill(kinds[0], said, t)
	}
	return n, n.fillEach(kinds, said, t)
}

func (n *node) fill(kind string, said map[string]any, t reflect.Type) error {
	switch kind {
	case "object":
		n.form = object
		return n.planObject(said, t)
	case "array":
		n.form = list
		return n.planList(said, t)
	case "string":
		n.form = text
		return n.planText(said, t)
	case "boolean":
		n.form = truth
	case "integer", "number":
		n.form = integer
		if kind == "number" {
			n.form = number
		}
		return n.planNumber(said)
	}
	return nil
}

// fillEach plans a schema of several types, or of none, as one node for each type.
func (n *node) fillEach(kinds []string, said map[string]any, t reflect.Type) error {
	for _, kind := range kinds {
		n.form = several
		alone := map[string]any{"type": kind}
		for _, keyword := range keywordsOf(kind) {
			if value, found := said[keyword]; found {
				alone[keyword] = value
			}
		}
		one, err := plan(alone, t)
		if err != nil {
			return err
		}
		n.each = append(n.each, one)
	}
	return nil
}

// readTypes returns the types other than null.
func (n *node) readTypes(said any) []string {
	switch types := said.(type) {
	case nil:
	case string:
		n.types = []string{types}
	case []any:
		for _, one := range types {
			name, _ := one.(string)
			n.types = append(n.types, name)
		}
	}
	names := slices.DeleteFunc(slices.Clone(n.types), func(name string) bool { return name == "null" })
	n.nullable = len(names) < len(n.types)
	return names
}

func (n *node) planObject(said map[string]any, t reflect.Type) (err error) {
	n.least, n.most = size(said["minProperties"], 0), size(said["maxProperties"], math.MaxInt64)
	n.required = texts(said["required"])
	if len(n.required) > requiredLimit {
		return fmt.Errorf("%s has more than %d required fields", t, requiredLimit)
	}
	switch rest := said["additionalProperties"].(type) {
	case nil:
	case bool:
		n.closed = !rest
	default:
		if n.rest, err = plan(rest, elemOf(t)); err != nil {
			return err
		}
	}
	properties, _ := said["properties"].(map[string]any)
	types := membersOf(t)
	n.properties = make(map[string]property, len(properties))
	for name, schema := range properties {
		made := property{name: name}
		if made.node, err = plan(schema, types[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i := slices.Index(n.required, name); i >= 0 {
			made.required = 1 << i
		}
		n.properties[name] = made
	}
	for _, name := range n.required {
		if n.properties[name].node == nil {
			return fmt.Errorf("the required property %q is not described", name)
		}
	}
	return nil
}

func (n *node) planList(said map[string]any, t reflect.Type) (err error) {
	if said["items"] != nil {
		if n.items, err = plan(said["items"], elemOf(t)); err != nil {
			return err
		}
	}
	n.unique = said["uniqueItems"] == true
	n.least, n.most = size(said["minItems"], 0), size(said["maxItems"], math.MaxInt64)
	if said["maxItems"] == nil && n.unique && n.items != nil && n.items.enum != nil {
		n.distinct, n.most = true, int64(len(n.items.enum))
	}
	return nil
}

func (n *node) planText(said map[string]any, t reflect.Type) (err error) {
	n.least, n.most = size(said["minLength"], 0), size(said["maxLength"], math.MaxInt64)
	n.read = readerOf(t)
	if values, found := said["enum"].([]any); found {
		n.enum, n.accepted = values, map[string]bool{}
		for _, name := range texts(values) {
			n.accepted[name] = true
		}
	}
	if n.format, _ = said["format"].(string); n.format != "" && !isFormat(n.format) {
		return fmt.Errorf("the format %q is not judged", n.format)
	}
	shape, found := said["pattern"].(string)
	if !found {
		return nil
	}
	if examples, _ := said["examples"].([]any); len(examples) > 0 {
		n.hint, _ = examples[0].(string)
	}
	n.pattern, err = pattern(shape)
	return err
}

// texts returns the strings in a list.
func texts(said any) []string {
	values, _ := said.([]any)
	var found []string
	for _, value := range values {
		if name, isText := value.(string); isText {
			found = append(found, name)
		}
	}
	return found
}

// size returns a bound of a length.
func size(said any, absent int64) int64 {
	written, _ := said.(json.Number)
	value, err := written.Int64()
	if err != nil {
		return absent
	}
	return value
}

// planNumber reads the bounds of a number. If both are integers, n.least and n.most decide about
// integers. Otherwise n.least and n.most accept none, and the exact bounds decide.
func (n *node) planNumber(said map[string]any) error {
	for keyword, into := range map[string]struct {
		exact *(*big.Rat)
		whole *int64
	}{"minimum": {&n.low, &n.least}, "maximum": {&n.high, &n.most}} {
		written, found := said[keyword].(json.Number)
		if !found {
			continue
		}
		exact, ok := new(big.Rat).SetString(written.String())
		if !ok {
			return fmt.Errorf("the %s %q is no number", keyword, written)
		}
		*into.exact = exact
		if *into.whole = math.MinInt64; keyword == "minimum" {
			*into.whole = math.MaxInt64
		}
		if exact.IsInt() && exact.Num().IsInt64() {
			*into.whole = exact.Num().Int64()
		}
	}
	return nil
}
