package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Numbers beyond these are refused unread: no field can hold them, and to
// compute with them costs time and memory by their exponent.
const (
	digitsLimit   = 100
	exponentLimit = 308
)

// plainly tells that a value conforms without asking the library. A false means
// no more than that it must be asked.
func (n *node) plainly(raw jsontext.Value) bool {
	switch n.form {
	case truth:
		return true
	case integer:
		value, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil && n.least <= value && value <= n.most
	case text:
		return n.plainText(raw)
	default:
		return false
	}
}

func (n *node) plainText(raw jsontext.Value) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return false
	}
	value := raw[1 : len(raw)-1]
	if n.accepted != nil && !n.accepted[string(value)] {
		return false
	}
	if length := int64(utf8.RuneCount(value)); length < n.least || length > n.most {
		return false
	}
	if n.whole.Pattern != nil && !n.whole.Pattern.MatchString(string(value)) {
		return false
	}
	return n.whole.Format == nil || n.whole.Format.Validate(string(value)) == nil
}

// ask has the library judge a value.
func (w *walk) ask(n *node, raw jsontext.Value) error {
	value, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if wrong := unfit(value); wrong != "" {
		return w.complain(wrong)
	}
	refusal, refused := errors.AsType[*validator.ValidationError](n.whole.Validate(value))
	if !refused {
		return nil
	}
	return w.translate(n, refusal)
}

// translate notes the complaints at the ends of the library's tree of errors.
func (w *walk) translate(n *node, refusal *validator.ValidationError) error {
	switch said := refusal.ErrorKind.(type) {
	case *kind.Required:
		return w.complainEach(refusal.InstanceLocation, said.Missing, "is required")
	case *kind.AdditionalProperties:
		return w.complainEach(refusal.InstanceLocation, said.Properties, "is not a known parameter")
	case *kind.DependentRequired:
		return w.complainEach(refusal.InstanceLocation, said.Missing, "is required here")
	case *kind.PropertyNames:
		return w.complainEach(refusal.InstanceLocation, []string{said.Property}, "is not an allowed name")
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range refusal.Causes {
			if err := w.translate(n, cause); err != nil {
				return err
			}
		}
		return nil
	}
	hint := ""
	if refusal.SchemaURL == n.whole.Location {
		hint = n.hint
	}
	return w.complain(message(refusal.ErrorKind, hint), refusal.InstanceLocation...)
}

func (w *walk) complainEach(place, names []string, message string) error {
	for _, name := range names {
		if err := w.complain(message, append(place[:len(place):len(place)], name)...); err != nil {
			return err
		}
	}
	return nil
}

// unfit says what is wrong with a value that no field can hold, whatever its
// schema: a number that must not be computed with, or a text with U+0000, which
// PostgreSQL cannot store.
func unfit(value any) string {
	switch value := value.(type) {
	case json.Number:
		if outlandishNumber(value.String()) {
			return "is out of range"
		}
	case string:
		if strings.ContainsRune(value, 0) {
			return "must not hold the character U+0000"
		}
	case []any:
		return firstUnfit(value)
	case map[string]any:
		return cmp.Or(firstUnfit(slices.Collect(maps.Keys(value))), firstUnfit(slices.Collect(maps.Values(value))))
	}
	return ""
}

func firstUnfit[V any](values []V) string {
	for _, value := range values {
		if wrong := unfit(value); wrong != "" {
			return wrong
		}
	}
	return ""
}

func outlandishNumber(literal string) bool {
	if len(literal) > digitsLimit {
		return true
	}
	at := strings.IndexAny(literal, "eE")
	if at < 0 {
		return false
	}
	exponent, err := strconv.Atoi(literal[at+1:])
	return err != nil || exponent > exponentLimit || exponent < -exponentLimit
}
