package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"gatehouse.internal/ports/inbound"
)

// family is a command prefix and its commands.
type family struct {
	Name     string
	Commands []entry
}

// entry is a command in the reference.
type entry struct {
	inbound.Descriptor

	Parameters []field
	Results    []field
	Call       string
}

// field is a property of a schema, as a row of a table.
type field struct {
	Name, Type, Text string
	Required         bool
}

// schema is the part of a JSON Schema that the reference uses.
type schema struct {
	Type        any               `json:"type"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Enum        []any             `json:"enum"`
	Items       *schema           `json:"items"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
}

// kind describes the type of a value.
func (s schema) kind() string {
	switch {
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			words[i] = fmt.Sprint(value)
		}
		return strings.Join(words, " | ")
	case s.Items != nil:
		return "list of " + s.Items.kind()
	case s.Format != "":
		return s.Format
	}
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		words := make([]string, len(t))
		for i, value := range t {
			words[i] = fmt.Sprint(value)
		}
		return strings.Join(words, " or ")
	}
	return "any"
}

// fields lists the properties of an object, required ones first.
func fields(raw json.RawMessage) []field {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil
	}
	var listed []field
	for name, property := range s.Properties {
		listed = append(listed, field{
			Name: name, Type: property.kind(), Text: property.Description, Required: slices.Contains(s.Required, name),
		})
	}
	slices.SortFunc(listed, func(a, b field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return listed
}

// cataloged returns the families sorted by name.
func (s *shelf) cataloged() []family {
	var all []family
	for _, d := range s.handbook.Catalog() {
		if len(all) == 0 || all[len(all)-1].Name != d.Family {
			all = append(all, family{Name: d.Family})
		}
		last := &all[len(all)-1]
		last.Commands = append(last.Commands, entry{
			Descriptor: d, Parameters: fields(d.Params), Results: fields(d.Result), Call: call(d),
		})
	}
	return all
}

// call returns the indented body of an example request.
func call(d inbound.Descriptor) string {
	var text bytes.Buffer
	if err := json.Indent(&text, d.Example, "", "  "); err != nil {
		return ""
	}
	return text.String()
}

func (s *shelf) families(w http.ResponseWriter, r *http.Request) {
	s.reference(w, r, "families", "Commands", s.cataloged())
}

func (s *shelf) family(w http.ResponseWriter, r *http.Request) {
	wanted := strings.ToUpper(r.PathValue("family"))
	all := s.cataloged()
	at := slices.IndexFunc(all, func(f family) bool { return f.Name == wanted })
	if at < 0 {
		s.missing(w, r)
		return
	}
	s.reference(w, r, "family", wanted, all[at])
}

func (s *shelf) events(w http.ResponseWriter, r *http.Request) {
	type kind struct {
		inbound.KindDescriptor

		Fields []field
	}
	var listed []kind
	for _, k := range s.handbook.Kinds() {
		listed = append(listed, kind{k, fields(k.Schema)})
	}
	emitting := slices.DeleteFunc(slices.Clone(s.handbook.Catalog()), func(d inbound.Descriptor) bool { return len(d.Events) == 0 })
	s.reference(w, r, "events", "Events", struct {
		Commands []inbound.Descriptor
		Kinds    []kind
	}{emitting, listed})
}

// nodes shows the reference of flow nodes.
func (s *shelf) nodes(w http.ResponseWriter, r *http.Request) {
	type kind struct {
		inbound.NodeDescriptor

		Fields []field
		Node   string
	}
	var listed []kind
	for _, k := range s.handbook.Nodes() {
		node, err := json.MarshalIndent(map[string]any{"id": "n1", "type": k.Type, "config": k.Example}, "", "  ")
		if err != nil {
			http.Error(w, "the reference cannot be shown", http.StatusInternalServerError)
			return
		}
		listed = append(listed, kind{k, fields(k.Schema), string(node)})
	}
	s.reference(w, r, "nodes", "Flow nodes", listed)
}

// reference shows a page of the reference.
func (s *shelf) reference(w http.ResponseWriter, r *http.Request, name, title string, data any) {
	var body bytes.Buffer
	if err := s.frame.ExecuteTemplate(&body, name, data); err != nil {
		http.Error(w, "the reference cannot be shown", http.StatusInternalServerError)
		return
	}
	s.show(w, r, http.StatusOK, title, template.HTML(body.String())) //nolint:gosec // a template wrote it
}
