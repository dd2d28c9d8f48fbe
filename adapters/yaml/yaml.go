// Package yaml writes JSON as YAML and reads it back. It is the only package that knows a
// library for YAML: the one that cel-go brings with it.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"

	"gatehouse.internal/ports/outbound"
)

// Documents writes and reads YAML.
type Documents struct{}

var _ outbound.Documents = Documents{}

var errSeveral = errors.New("must contain only one document")

// ToYAML writes a JSON document. YAML is a superset of JSON, so its own reader keeps the
// order of members.
func (Documents) ToYAML(document []byte) (string, error) {
	var read yaml.Node
	if err := yaml.Unmarshal(document, &read); err != nil {
		return "", fmt.Errorf("read JSON as YAML: %w", err)
	}
	plain(&read)
	var text bytes.Buffer
	to := yaml.NewEncoder(&text)
	const indent = 2
	to.SetIndent(indent)
	if err := to.Encode(&read); err != nil {
		return "", fmt.Errorf("write YAML: %w", err)
	}
	return text.String(), nil
}

// plain takes the marks away by which JSON is written; texts that would mean something else
// without quotes keep them.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		plain(inner)
	}
}

// FromYAML reads one document.
func (Documents) FromYAML(text string) ([]byte, error) {
	from := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	var read any
	if err := from.Decode(&read); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if err := from.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errSeveral
	}
	document, err := json.Marshal(read, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write YAML as JSON: %w", err)
	}
	return document, nil
}
