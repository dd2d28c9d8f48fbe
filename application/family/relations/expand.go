package relations

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// ExpandParams are the parameters of RELATION.EXPAND.
type ExpandParams struct {
	Object   relation.Object `json:"object" doc:"The object."`
	Relation relation.Name   `json:"relation" doc:"A relation that the model gives the type of the object."`
	Depth    int             `json:"depth,omitzero" doc:"How many relations deep; 1 when absent: what the relation follows from is named and not shown." jsonschema:"minimum=1,maximum=10"`
}

// ExpandResult is the result of RELATION.EXPAND.
type ExpandResult struct {
	Tree Tree `json:"tree" doc:"What the relation follows from."`
}

// Tree is a tree of relations in results.
type Tree map[string]any

// SchemaFragment describes the tree in a JSON Schema.
func (Tree) SchemaFragment() map[string]any {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	return map[string]any{
		"type": "object", "required": []any{"kind", "subjects", "nodes", "more"}, "additionalProperties": false,
		"properties": map[string]any{
			"name": text("The relation of an object, where a relation begins: document:1#viewer."),
			"kind": map[string]any{
				"type": "string", "enum": []any{"direct", "computed", "from", "union", "intersection", "difference"},
				"description": "How it follows: from its own tuples, another relation of the object, a relation of those that the tupleset names, or from all nodes together.",
			},
			"tupleset": text("With from: the relation that names the parents."),
			"subjects": map[string]any{
				"type": "array", "items": map[string]any{"type": "string"},
				"description": "Subjects that tuples name, or parents, or the computed relation; at most 100.",
			},
			"nodes": map[string]any{
				"type": "array", "items": map[string]any{"type": "object"},
				"description": "Trees like this one that it follows from; of a difference the base, then what it takes away.",
			},
			"more": map[string]any{"type": "boolean", "description": "Whether something was left out."},
		},
		"examples": []any{map[string]any{"name": "document:1#viewer", "kind": "direct", "subjects": []any{"user:*"}, "nodes": []any{}, "more": false}},
	}
}

func (s *Service) expand() command.Definition {
	return command.Define(command.Spec[ExpandParams, ExpandResult]{
		Name: "RELATION.EXPAND",
		Summary: "Show what a relation of an object follows from, to explain a decision: a tree of at most 200 relations, " +
			"with the first 100 tuples of each. Conditions are not evaluated.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ExpandParams) (ExpandResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ExpandResult{}, err
			}
			tree, err := s.Relating.Expand(ctx, org, relation.Pair{Object: p.Object, Relation: string(p.Relation)}, max(p.Depth, 1))
			if err != nil {
				return ExpandResult{}, err
			}
			return ExpandResult{showTree(tree)}, nil
		},
	})
}

func showTree(t *relation.Tree) Tree {
	nodes := make([]any, len(t.Nodes))
	for i, node := range t.Nodes {
		nodes[i] = showTree(node)
	}
	shown := Tree{"kind": t.Kind, "subjects": append([]string{}, t.Subjects...), "nodes": nodes, "more": t.More}
	if t.Name != "" {
		shown["name"] = t.Name
	}
	if t.Tupleset != "" {
		shown["tupleset"] = t.Tupleset
	}
	return shown
}
