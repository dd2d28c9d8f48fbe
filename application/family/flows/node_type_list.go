package flows

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
)

// NodeTypeListResult is the result of FLOW.NODE_TYPE_LIST.
type NodeTypeListResult struct {
	Items []NodeType `json:"items" doc:"The node types."`
}

// NodeType is a type of nodes in results.
type NodeType struct {
	Type         string          `json:"type" doc:"Name of the node type."`
	Summary      string          `json:"summary" doc:"Description of what the node does."`
	ConfigSchema json.RawMessage `json:"config_schema" doc:"JSON Schema of the node's configuration."`
	Example      flow.Config     `json:"example" doc:"Example of a configuration."`
	Outputs      []string        `json:"outputs" doc:"Outputs of the node, as edges name them. Empty for a node that ends the flow. A switch also has its values as outputs."`
}

func (s *Service) nodeTypeList() command.Definition {
	return command.Define(command.Spec[command.None, NodeTypeListResult]{
		Name:    "FLOW.NODE_TYPE_LIST",
		Summary: "List the node types of flows with the JSON Schema of their configuration.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(context.Context, command.Call, command.None) (NodeTypeListResult, error) {
			var result NodeTypeListResult
			for _, k := range plan.Kinds() {
				result.Items = append(result.Items, NodeType{
					Type: k.Type, Summary: k.Summary, ConfigSchema: k.Config.JSON(), Example: k.Example, Outputs: k.Outputs,
				})
			}
			return result, nil
		},
	})
}
