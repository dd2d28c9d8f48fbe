package relations

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// ExpandParams are the parameters of RELATION.EXPAND.
type ExpandParams struct {
	Object   relation.Object `json:"object" doc:"Object to explain."`
	Relation relation.Name   `json:"relation" doc:"Relation that the model defines for the type of the object."`
	Depth    int             `json:"depth,omitzero" doc:"Number of relation levels to expand. Defaults to 1, which names the relations on the next level without expanding them." jsonschema:"minimum=1,maximum=10"`
}

// ExpandResult is the result of RELATION.EXPAND.
type ExpandResult struct {
	Tree Tree `json:"tree" doc:"Tree of relations that the relation follows from."`
}

// Tree is a tree of relations in results.
type Tree map[string]any

// SchemaFragment describes the tree in a JSON Schema.
func (Tree) SchemaFragment() map[string]any {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	return map[string]any{
		"type": "object", "required": []any{"kind", "subjects", "nodes", "more"}, "additionalProperties": false,
		"properties": map[string]any{
			"name": text("Relation of an object, such as document:1#viewer. Present where a relation begins."),
			"kind": map[string]any{
				"type": "string", "enum": []any{"direct", "computed", "from", "union", "intersection", "difference"},
				"description": "How the relation follows: from its own tuples (direct), another relation of the object (computed), a relation of the tupleset's parents (from), or a combination of nodes.",
			},
			"tupleset": text("Relation that names the parents. Present for kind from."),
			"subjects": map[string]any{
				"type": "array", "items": map[string]any{"type": "string"},
				"description": "Subjects of the tuples, the parents, or the computed relation. At most 100.",
			},
			"nodes": map[string]any{
				"type": "array", "items": map[string]any{"type": "object"},
				"description": "Subtrees that the relation follows from, in the same format. For a difference, the base and then the subtracted subtree.",
			},
			"more": map[string]any{"type": "boolean", "description": "Whether anything was left out."},
		},
		"examples": []any{map[string]any{"name": "document:1#viewer", "kind": "direct", "subjects": []any{"user:*"}, "nodes": []any{}, "more": false}},
	}
}

func (s *Service) expand() command.Definition {
	return command.Define(command.Spec[ExpandParams, ExpandResult]{
		Name:    "RELATION.EXPAND",
		Summary: "Expand a relation of an object to explain a decision.",
		Description: "The result is a tree of everything that the relation follows from. It has at most 200 relations, with the first 100 tuples " +
			"of each.\n" +
			"Conditions are not evaluated.",
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
