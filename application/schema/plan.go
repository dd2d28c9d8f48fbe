package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// form is how a value is judged.
type form uint8

const (
	other    form = iota // by the library alone
	anything             // not at all
	object               // here, property by property
	list                 // here, item by item
	text                 // here when it conforms, else by the library
	truth
	integer
)

// requiredLimit is how many required properties one object may have to be
// judged here: they are counted off in one word.
const requiredLimit = 64

// node judges the values at one place of a document.
type node struct {
	form     form
	whole    *validator.Schema
	types    []string
	nullable bool
	hint     string

	properties map[string]property
	required   []string
	closed     bool
	rest       *node // properties that are not named; nil lets all pass

	items    *node // nil lets all pass
	unique   bool
	least    int64 // of items, characters or the integer itself
	most     int64
	accepted map[string]bool // the texts of an enum; nil lets all pass
}

// property is a named part of an object; required holds its bit, or nothing.
type property struct {
	*node
	name     string
	required uint64
}

// plan makes the node of a schema, of which it is given the document and what
// the library made of it. Where it knows a keyword not, it leaves the node to
// the library.
func plan(tree any, whole *validator.Schema) *node {
	n := &node{whole: whole, least: math.MinInt64, most: math.MaxInt64}
	if tree == true {
		n.form = anything
		return n
	}
	said, ok := tree.(map[string]any)
	if !ok {
		return n
	}
	if whole.Pattern != nil && len(whole.Examples) > 0 {
		n.hint, _ = whole.Examples[0].(string)
	}
	kind := n.readTypes(said)
	switch {
	case kind == "" && only(said):
		n.form = anything
	case kind == "object" && only(said, "properties", "required", "additionalProperties"):
		n.planObject(said)
	case kind == "array" && only(said, "items", "minItems", "maxItems", "uniqueItems"):
		n.planList(said)
	case kind == "string" && only(said, "minLength", "maxLength", "pattern", "format", "enum"):
		n.planText(said)
	case kind == "boolean" && only(said):
		n.form = truth
	case kind == "integer" && only(said, "minimum", "maximum"):
		n.planInteger(said)
	}
	return n
}

// only tells whether a schema uses no keywords but these, the type and those
// that judge nothing.
func only(said map[string]any, known ...string) bool {
	for keyword := range said {
		switch keyword {
		case "type", "$schema", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			if !slices.Contains(known, keyword) {
				return false
			}
		}
	}
	return true
}

// readTypes gives the one type beside null, or "" when there is no such one.
func (n *node) readTypes(said map[string]any) string {
	switch types := said["type"].(type) {
	case string:
		n.types = []string{types}
	case []any:
		for _, one := range types {
			name, _ := one.(string)
			n.types = append(n.types, name)
		}
	default:
		return ""
	}
	kind := "-"
	for _, name := range n.types {
		switch {
		case name == "null":
			n.nullable = true
		case kind == "-":
			kind = name
		default:
			return "-"
		}
	}
	return kind
}

func (n *node) planObject(said map[string]any) {
	n.required = n.whole.Required
	if len(n.required) > requiredLimit {
		return
	}
	switch rest := n.whole.AdditionalProperties.(type) {
	case bool:
		n.closed = !rest
	case *validator.Schema:
		n.rest = plan(said["additionalProperties"], rest)
	}
	properties, _ := said["properties"].(map[string]any)
	n.properties = make(map[string]property, len(properties))
	for name, schema := range properties {
		made := property{node: plan(schema, n.whole.Properties[name]), name: name}
		if i := slices.Index(n.required, name); i >= 0 {
			made.required = 1 << i
		}
		n.properties[name] = made
	}
	if slices.ContainsFunc(n.required, func(name string) bool { return n.properties[name].node == nil }) {
		return
	}
	n.form = object
}

func (n *node) planList(said map[string]any) {
	if n.whole.Items2020 != nil {
		n.items = plan(said["items"], n.whole.Items2020)
	}
	n.unique = n.whole.UniqueItems
	n.least, n.most = bounds(n.whole.MinItems, n.whole.MaxItems)
	n.form = list
}

func (n *node) planText(said map[string]any) {
	n.least, n.most = bounds(n.whole.MinLength, n.whole.MaxLength)
	if values, found := said["enum"].([]any); found {
		n.accepted = make(map[string]bool, len(values))
		for _, value := range values {
			if name, isText := value.(string); isText {
				n.accepted[name] = true
			}
		}
		// Null is judged before the enum is: let the library have such a node
		// unless both agree on it.
		if n.nullable && !slices.Contains(values, nil) {
			return
		}
	}
	n.form = text
}

func (n *node) planInteger(said map[string]any) {
	least, fitsLeast := whole(said["minimum"], math.MinInt64)
	most, fitsMost := whole(said["maximum"], math.MaxInt64)
	if fitsLeast && fitsMost {
		n.form, n.least, n.most = integer, least, most
	}
}

// whole reads a bound that is a plain integer.
func whole(bound any, absent int64) (int64, bool) {
	if bound == nil {
		return absent, true
	}
	number, _ := bound.(json.Number)
	value, err := strconv.ParseInt(number.String(), 10, 64)
	return value, err == nil
}

func bounds(least, most *int) (int64, int64) {
	low, high := int64(0), int64(math.MaxInt64)
	if least != nil {
		low = int64(*least)
	}
	if most != nil {
		high = int64(*most)
	}
	return low, high
}
