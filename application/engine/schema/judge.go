package schema

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/spelling"
)

// complaintLimit is the maximum number of errors that one answer lists.
const complaintLimit = 50

// errEnough ends a walk that has found complaintLimit errors.
var errEnough = errors.New("enough complaints")

// walk reads a document once and collects its errors.
type walk struct {
	raw    []byte
	reader *jsontext.Decoder
	path   []string
	found  []fault.Field
}

// judge validates a document and returns its errors.
func judge(root *node, raw []byte) []fault.Field {
	// The document has already been checked for duplicate names.
	w := walk{raw: raw, reader: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))}
	if err := w.value(root); err != nil && !errors.Is(err, errEnough) {
		return []fault.Field{{Message: "is not valid JSON"}}
	}
	slices.SortFunc(w.found, func(a, b fault.Field) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return w.found
}

// complain records an error of the value at the current path, or at a path inside it.
func (w *walk) complain(message string, inside ...string) error {
	w.found = append(w.found, fault.Field{
		Path: fault.Pointer(slices.Concat(w.path, inside)...), Message: message,
	})
	if len(w.found) == complaintLimit {
		return errEnough
	}
	return nil
}

// value validates the next value of the document.
func (w *walk) value(n *node) error {
	found := w.reader.PeekKind()
	switch {
	case n.form == anything:
		return w.reader.SkipValue()
	case found == 'n' && n.nullable:
		if err := w.reader.SkipValue(); err != nil || n.enum == nil || slices.Contains(n.enum, nil) {
			return err
		}
		return w.complain(oneOf(n.enum))
	case n.form == several:
		if i := slices.IndexFunc(n.each, func(one *node) bool { return one.takes(found) }); i >= 0 {
			return w.value(n.each[i])
		}
	case n.takes(found):
		return w.judge(n)
	}
	if err := w.reader.SkipValue(); err != nil {
		return err
	}
	return w.complain("must be " + typeNames(n.types))
}

func (w *walk) judge(n *node) error {
	switch n.form {
	case object:
		return w.object(n)
	case list:
		return w.list(n)
	default:
		return w.leaf(n)
	}
}

// takes reports whether the node accepts values of a kind.
func (n *node) takes(found jsontext.Kind) bool {
	switch n.form {
	case object:
		return found == '{'
	case list:
		return found == '['
	case text:
		return found == '"'
	case truth:
		return found == 't' || found == 'f'
	case integer, number:
		return found == '0'
	default:
		return false
	}
}

func (w *walk) object(n *node) error {
	if _, err := w.reader.ReadToken(); err != nil {
		return err
	}
	var missing uint64 = 1<<len(n.required) - 1
	var count int64
	for ; w.reader.PeekKind() != '}'; count++ {
		name, err := w.reader.ReadValue()
		if err != nil {
			return err
		}
		if part, known := n.part(name); known {
			missing &^= part.required
			err = w.inside(part.node, part.name)
		} else {
			err = w.unnamed(n, name)
		}
		if err != nil {
			return err
		}
	}
	if _, err := w.reader.ReadToken(); err != nil {
		return err
	}
	switch {
	case count < n.least:
		return w.complain(tooFew(n.least, "property", "properties"))
	case count > n.most:
		return w.complain(tooMany(n.most, "property", "properties"))
	}
	return w.missed(n, missing)
}

// missed records an error for each required property whose bit is still set.
func (w *walk) missed(n *node, missing uint64) error {
	for i, name := range n.required {
		if missing&(1<<i) == 0 {
			continue
		}
		if err := w.complain("is required", name); err != nil {
			return err
		}
	}
	return nil
}

// part returns the property of a quoted name.
func (n *node) part(quoted jsontext.Value) (property, bool) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		part, known := n.properties[string(quoted[1:len(quoted)-1])]
		return part, known
	}
	part, known := n.properties[unquote(quoted)]
	return part, known
}

// unnamed validates a property that the schema does not name.
func (w *walk) unnamed(n *node, quoted jsontext.Value) error {
	name := unquote(quoted)
	if n.rest != nil {
		return w.inside(n.rest, name)
	}
	if !n.closed {
		w.path = append(w.path, name)
		defer func() { w.path = w.path[:len(w.path)-1] }()
		if strings.ContainsRune(name, 0) {
			return cmp.Or(w.reader.SkipValue(), w.complain(holdsNull))
		}
		return w.free()
	}
	if err := w.reader.SkipValue(); err != nil {
		return err
	}
	near := slices.Sorted(maps.Keys(n.properties))
	if len(w.path) == 0 {
		near = append(near, "params", "dry_run") // the other keys that may stand beside command
	}
	return w.complain("is not a known parameter"+spelling.Hint(name, near), name)
}

func (w *walk) inside(n *node, name string) error {
	w.path = append(w.path, name)
	err := w.value(n)
	w.path = w.path[:len(w.path)-1]
	return err
}

func (w *walk) list(n *node) error {
	if _, err := w.reader.ReadToken(); err != nil {
		return err
	}
	before := len(w.found)
	var seen map[string]bool
	if n.unique {
		seen = map[string]bool{}
	}
	var count int64
	for ; w.reader.PeekKind() != ']'; count++ {
		if count == n.most {
			return w.overlong(n, len(w.found) > before)
		}
		start := w.reader.InputOffset()
		var err error
		if n.items == nil {
			err = w.reader.SkipValue()
		} else {
			err = w.inside(n.items, strconv.FormatInt(count, 10))
		}
		if err != nil {
			return err
		}
		if n.unique {
			seen[canonical(w.raw[start:w.reader.InputOffset()])] = true
		}
	}
	if _, err := w.reader.ReadToken(); err != nil {
		return err
	}
	switch {
	case count < n.least:
		return w.complain(tooFew(n.least, "item", "items"))
	case n.unique && int64(len(seen)) < count && len(w.found) == before:
		return w.complain(twice)
	}
	return nil
}

// overlong records that a list exceeds its maximum. It skips up to as many items again, so
// that errors behind a list that is only somewhat too long are reported as well. A longer
// list ends the walk, so that the schema and not the client bounds its cost.
func (w *walk) overlong(n *node, reported bool) error {
	var wrong error
	switch {
	case !n.distinct:
		wrong = w.complain(tooMany(n.most, "item", "items"))
	case !reported:
		wrong = w.complain(twice)
	}
	for passed := int64(0); wrong == nil && w.reader.PeekKind() != ']'; passed++ {
		if wrong = w.reader.SkipValue(); wrong == nil && passed == n.most {
			wrong = errEnough
		}
	}
	if wrong != nil {
		return wrong
	}
	_, err := w.reader.ReadToken()
	return err
}

// canonical returns the canonical form of a value, by which equal values are recognized. It
// ignores the separators around the value.
func canonical(item []byte) string {
	value := jsontext.Value(bytes.Clone(bytes.TrimLeft(item, ", \t\r\n")))
	if value.Canonicalize() != nil {
		return string(item)
	}
	return string(value)
}

func unquote(quoted jsontext.Value) string {
	name, _ := jsontext.AppendUnquote(nil, quoted)
	return string(name)
}
