package flows

import (
	"encoding/json"
	"strings"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// documentVersion is that of the form in which flows are handed out.
const documentVersion = 1

// Content is what a document holds.
type Content struct {
	Version int     `json:"version"`
	Flows   []Entry `json:"flows"`
}

// Entry is one flow of a document.
type Entry struct {
	Name        flow.Name    `json:"name"`
	Description string       `json:"description,omitzero"`
	Trigger     flow.Trigger `json:"trigger"`
	Scope       flow.Scope   `json:"scope"`
	flow.Graph
}

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

var errDocument = fault.Unfit("/document", "is not what FLOW.EXPORT writes: {version: 1, flows: [{name, trigger, scope, nodes, edges}]}")

// content reads a document.
func (s *Service) content(d Document) (Content, error) {
	raw := []byte(d)
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(string(raw), `"`) {
		read, err := s.Documents.FromYAML(text)
		if err != nil {
			return Content{}, fault.Unfit("/document", "is neither JSON nor YAML")
		}
		raw = read
	}
	var read Content
	if err := strictjson.Decode(raw, &read); err != nil {
		return Content{}, below(fault.From(err))
	}
	if read.Version != documentVersion {
		return Content{}, errDocument
	}
	return read, nil
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
