package schema

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"gatehouse.internal/domain/fault"
)

// complaintLimit is how many complaints one answer lists.
const complaintLimit = 50

// errEnough ends a walk that has found all that will be told.
var errEnough = errors.New("enough complaints")

// walk reads a document once and collects what is wrong with it.
type walk struct {
	raw    []byte
	reader *jsontext.Decoder
	path   []string
	found  []fault.Field
}

// judge lists what is wrong with a document.
func judge(root *node, raw []byte) []fault.Field {
	// Names were found to be unique already, when the document was checked.
	w := walk{raw: raw, reader: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))}
	if err := w.value(root); err != nil && !errors.Is(err, errEnough) {
		return []fault.Field{{Message: "is not JSON"}}
	}
	slices.SortFunc(w.found, func(a, b fault.Field) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return w.found
}

// complain notes one thing that is wrong with the value at the current place,
// or at a place inside of it.
func (w *walk) complain(message string, inside ...string) error {
	w.found = append(w.found, fault.Field{
		Path: fault.Pointer(slices.Concat(w.path, inside)...), Message: message,
	})
	if len(w.found) == complaintLimit {
		return errEnough
	}
	return nil
}

// value judges the next value of the document.
func (w *walk) value(n *node) error {
	found := w.reader.PeekKind()
	switch {
	case n.form == anything, found == 'n' && n.nullable && n.form != other:
		return w.reader.SkipValue()
	case n.form == object && found == '{':
		return w.object(n)
	case n.form == list && found == '[':
		return w.list(n)
	case n.form == other, n.takes(found):
		return w.leaf(n)
	}
	if err := w.reader.SkipValue(); err != nil {
		return err
	}
	return w.complain(message(&kind.Type{Want: n.types}, ""))
}

// takes tells whether a value of this kind may be a leaf of the node's form.
func (n *node) takes(found jsontext.Kind) bool {
	switch n.form {
	case text:
		return found == '"'
	case truth:
		return found == 't' || found == 'f'
	case integer:
		return found == '0'
	default:
		return false
	}
}

// leaf judges a value as a whole.
func (w *walk) leaf(n *node) error {
	raw, err := w.reader.ReadValue()
	if err != nil || n.plainly(raw) {
		return err
	}
	return w.ask(n, raw)
}

func (w *walk) object(n *node) error {
	if _, err := w.reader.ReadToken(); err != nil {
		return err
	}
	var missing uint64 = 1<<len(n.required) - 1
	for w.reader.PeekKind() != '}' {
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
	return w.missed(n, missing)
}

// missed notes the required properties whose bits nothing cleared.
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

// part finds the property that a name, still in quotes, means.
func (n *node) part(quoted jsontext.Value) (property, bool) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		part, known := n.properties[string(quoted[1:len(quoted)-1])]
		return part, known
	}
	part, known := n.properties[unquote(quoted)]
	return part, known
}

// unnamed judges a property that the schema does not name.
func (w *walk) unnamed(n *node, quoted jsontext.Value) error {
	name := unquote(quoted)
	if n.rest != nil {
		return w.inside(n.rest, name)
	}
	if err := w.reader.SkipValue(); err != nil || !n.closed {
		return err
	}
	return w.complain("is not a known parameter", name)
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
	start, before := w.reader.InputOffset()-1, len(w.found)
	var count int64
	for ; w.reader.PeekKind() != ']'; count++ {
		var err error
		if n.items == nil {
			err = w.reader.SkipValue()
		} else {
			err = w.inside(n.items, strconv.FormatInt(count, 10))
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
		return w.complain(message(&kind.MinItems{Want: int(n.least)}, ""))
	case count > n.most:
		return w.complain(message(&kind.MaxItems{Want: int(n.most)}, ""))
	case n.unique && len(w.found) == before:
		return w.ask(n, w.raw[start:w.reader.InputOffset()])
	}
	return nil
}

func unquote(quoted jsontext.Value) string {
	name, _ := jsontext.AppendUnquote(nil, quoted)
	return string(name)
}
