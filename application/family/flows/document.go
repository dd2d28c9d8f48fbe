package flows

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
)

// documentVersion is that of the form in which flows are handed out.
const documentVersion = 1

// Content is what a document holds.
type Content[F any] struct {
	Version int `json:"version"`
	Flows   []F `json:"flows"`
}

// Entry is one flow of a document.
type Entry struct {
	Name        flow.Name    `json:"name" doc:"Name of the flow."`
	Description string       `json:"description,omitzero" doc:"Purpose of the flow." jsonschema:"maxLength=500"`
	Trigger     flow.Trigger `json:"trigger" doc:"Trigger that the flow decides about."`
	Scope       flow.Scope   `json:"scope,omitzero" doc:"Owner of the flow: the instance or the workspace. Defaults to workspace."`
	Nodes       []flow.Node  `json:"nodes" doc:"Nodes of the graph." jsonschema:"maxItems=256"`
	Edges       []flow.Edge  `json:"edges,omitzero" doc:"Edges of the graph." jsonschema:"maxItems=512"`
}

func (e Entry) graph() flow.Graph { return flow.Graph{Nodes: e.Nodes, Edges: e.Edges} }

// Document is a document as an object or as a text in JSON or YAML.
type Document json.RawMessage

// SchemaFragment describes the document in a JSON Schema.
func (Document) SchemaFragment() map[string]any {
	return map[string]any{
		"type": []any{"object", "string"}, "maxLength": 900_000,
		"examples": []any{map[string]any{"version": documentVersion, "flows": []any{}}},
	}
}

// MarshalJSON writes the document as it is.
func (d Document) MarshalJSON() ([]byte, error) { return d, nil }

// UnmarshalJSON keeps the document as it came.
func (d *Document) UnmarshalJSON(raw []byte) error {
	*d = append((*d)[:0], raw...)
	return nil
}

var errDocument = fault.Unfit("/document", "must have the format of FLOW.EXPORT: {version: 1, flows: [{name, trigger, scope, nodes, edges}]}")

// content reads a document for a workspace that brings it in, and returns all that is wrong with its flows.
func (s *Service) content(ctx context.Context, by workspace.ID, d Document) (entries []Entry, found []fault.Field, err error) {
	written, err := s.written(d)
	if err != nil {
		return nil, nil, err
	}
	if len(written) > maxImported {
		return nil, []fault.Field{{Path: "/document/flows", Message: "must contain at most 100 flows"}}, nil
	}
	entries = make([]Entry, len(written))
	wrong, sources := make([]error, len(written)), []expressions.Source{}
	for i, raw := range written {
		wrong[i] = read(raw, &entries[i])
		sources = append(sources, s.Compiler.Sources(entries[i].Trigger, entries[i].graph())...)
	}
	if err := s.Compiler.Expressions.Prepare(ctx, by, sources...); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for i, one := range entries {
		err := wrong[i]
		if err == nil {
			_, err = s.sound(ctx, by, one.Trigger, one.graph())
		}
		if key := string(entries[i].Scope) + " " + string(entries[i].Name); err == nil && seen[key] {
			err = fault.Unfit("/name", "is already the name of another flow in the document")
		} else {
			seen[key] = true
		}
		if err := collect(&found, err, i); err != nil {
			return nil, nil, err
		}
	}
	return entries, found, nil
}

// written reads a document as far as its list of flows.
func (s *Service) written(d Document) ([]json.RawMessage, error) {
	raw := []byte(d)
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(string(raw), `"`) {
		read, err := s.Documents.FromYAML(text)
		if err != nil {
			return nil, fault.Unfit("/document", "must be valid JSON or YAML")
		}
		raw = read
	}
	var read Content[json.RawMessage]
	if err := strictjson.Decode(raw, &read); err != nil {
		return nil, below(fault.From(err))
	}
	if read.Version != documentVersion {
		return nil, errDocument
	}
	return read.Flows, nil
}

// read reads one flow of a document. It fails with all that is wrong with its form.
func read(raw []byte, e *Entry) error {
	if wrong := schema.Of(reflect.TypeFor[Entry]()).Validate(raw); wrong != nil {
		return fault.Refuse(wrong...)
	}
	return strictjson.Decode(raw, e)
}

// collect adds the complaints about one flow of a document to others. It returns errors that
// are no complaints.
func collect(found *[]fault.Field, err error, i int) error {
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || len(refused.Fields) == 0 {
		return err
	}
	at := "/document" + fault.Pointer("flows", strconv.Itoa(i))
	for _, f := range refused.Fields {
		*found = append(*found, fault.Field{Path: at + f.Path, Message: f.Message})
	}
	return nil
}

// below puts complaints about a document where it stands.
func below(refused *fault.Error) error {
	if len(refused.Fields) == 0 {
		return errDocument
	}
	moved := make([]fault.Field, len(refused.Fields))
	for i, f := range refused.Fields {
		moved[i] = fault.Field{Path: "/document" + f.Path, Message: f.Message}
	}
	return fault.Refuse(moved...)
}
