package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Bounds of a graph.
const (
	MaxNodes = 64
	MaxEdges = 128
	// maxGraph bounds the JSON of a graph, in bytes.
	maxGraph = 64 << 10
)

// Start is the type of the node that a graph begins at.
const Start = "start"

// Default is the output of nodes with a single output, and of edges without an explicit
// one.
const Default = "default"

// Graph is the graph of a flow.
type Graph struct {
	Nodes []Node `json:"nodes" doc:"Nodes of the graph. Exactly one is of type start." jsonschema:"minItems=1,maxItems=64"`
	Edges []Edge `json:"edges" doc:"Edges of the graph." jsonschema:"maxItems=128"`
}

// Node is one step.
type Node struct {
	ID     string `json:"id" doc:"ID of the node. Unique in its graph." jsonschema:"minLength=1,maxLength=64,pattern=^[A-Za-z0-9][A-Za-z0-9_.-]*$,example=start"`
	Type   string `json:"type" doc:"Type of the node, as listed by FLOW.NODE_TYPE_LIST." jsonschema:"minLength=1,maxLength=32,example=start"`
	Config Config `json:"config,omitzero" doc:"Configuration of the node. Its fields depend on the type."`
}

// Config is the configuration of a node.
type Config map[string]any

// SchemaFragment describes the configuration in a JSON Schema.
func (Config) SchemaFragment() map[string]any {
	return map[string]any{"type": "object", "examples": []any{map[string]any{}}}
}

// Edge leads from a node to another.
type Edge struct {
	From string `json:"from" doc:"ID of the node that the edge leaves." jsonschema:"minLength=1,maxLength=64,example=start"`
	To   string `json:"to" doc:"ID of the node that the edge leads to." jsonschema:"minLength=1,maxLength=64,example=start"`
	When string `json:"when,omitzero" doc:"Output of the from node that the edge follows, such as true or false, or a value of a switch. Defaults to default." jsonschema:"minLength=1,maxLength=64,example=default"`
}

// Output returns the output that the edge starts from.
func (e Edge) Output() string {
	if e.When == "" {
		return Default
	}
	return e.When
}

// Encode returns the stored form of the graph: equal graphs have equal bytes, whether
// the list of edges is empty or nil.
func (g Graph) Encode() ([]byte, error) {
	if g.Edges == nil {
		g.Edges = []Edge{}
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	if err := to.Encode(g); err != nil {
		return nil, fmt.Errorf("encode a graph: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// DecodeGraph reads a graph that was stored.
func DecodeGraph(text []byte) (Graph, error) {
	var g Graph
	if err := json.Unmarshal(text, &g); err != nil {
		return Graph{}, fmt.Errorf("decode a graph: %w", err)
	}
	return g, nil
}

// Equal reports whether two graphs are written alike.
func (g Graph) Equal(other Graph) bool {
	one, err1 := g.Encode()
	two, err2 := other.Encode()
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// shownChanges is the maximum number of listed changes between two versions.
const shownChanges = 20

// Changes describes how a graph differs from the previous one.
func (g Graph) Changes(before Graph) []string {
	said := differ("node", nodesByID(before), nodesByID(g))
	said = append(said, differ("edge", edgesByPlace(before), edgesByPlace(g))...)
	if len(said) > shownChanges {
		said = append(said[:shownChanges], fmt.Sprintf("and %d more", len(said)-shownChanges))
	}
	return said
}
