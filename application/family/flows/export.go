package flows

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// ExportParams are the parameters of FLOW.EXPORT.
type ExportParams struct {
	Names  []flow.Name `json:"names,omitzero" doc:"Names of the flows to export. Omit to export all flows." jsonschema:"minItems=1,maxItems=400,uniqueItems=true" example:"-"`
	Format string      `json:"format,omitzero" doc:"Format of the document: an object (json) or a string (yaml). Defaults to json." jsonschema:"enum=json,enum=yaml"`
}

// ExportResult is the result of FLOW.EXPORT.
type ExportResult struct {
	Document Document `json:"document" doc:"The exported flows, sorted by scope and name. FLOW.IMPORT accepts this document."`
}

func (s *Service) export() command.Definition {
	return command.Define(command.Spec[ExportParams, ExportResult]{
		Name:    "FLOW.EXPORT",
		Summary: "Export flows as one portable document.",
		Description: "Exports the flows of the workspace. For superadmins, the document also contains the flows of the instance.\n" +
			"The same flows always produce the same document.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ExportParams) (ExportResult, error) {
			entries, err := s.entries(ctx, call.Caller, p.Names)
			if err != nil {
				return ExportResult{}, err
			}
			text, err := strictjson.Encode(Content[Entry]{Version: documentVersion, Flows: entries})
			if err != nil || p.Format != "yaml" {
				return ExportResult{Document: text}, err
			}
			written, err := s.Documents.ToYAML(text)
			if err != nil {
				return ExportResult{}, err
			}
			quoted, err := json.Marshal(written)
			return ExportResult{Document: quoted}, err
		},
	})
}

// scopes returns the workspaces whose flows a caller sees, the instance first. It fails with
// workspace.ErrNotFound where there is none.
func scopes(caller access.Caller) ([]workspace.ID, error) {
	var orgs []workspace.ID
	if caller.Superadmin {
		orgs = append(orgs, "")
	}
	if caller.Org != "" {
		orgs = append(orgs, caller.Org)
	}
	if orgs == nil {
		return nil, workspace.ErrNotFound
	}
	return orgs, nil
}

// entries returns the flows of a caller by name, those of the instance first. It fails with
// flow.ErrNotFound for a name that there is not.
func (s *Service) entries(ctx context.Context, caller access.Caller, names []flow.Name) ([]Entry, error) {
	orgs, err := scopes(caller)
	if err != nil {
		return nil, err
	}
	entries, found := []Entry{}, map[flow.Name]bool{}
	for _, org := range orgs {
		all, err := s.Directory.List(ctx, ops.FlowQuery{Org: org})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(all, func(a, b flow.Snapshot) int { return cmp.Compare(a.Name, b.Name) })
		for _, f := range all {
			if names != nil && !slices.Contains(names, f.Name) {
				continue
			}
			found[f.Name] = true
			entries = append(entries, Entry{
				Name: f.Name, Description: f.Description, Trigger: f.Trigger, Scope: f.Scope(),
				Nodes: f.Current.Graph.Nodes, Edges: append([]flow.Edge{}, f.Current.Graph.Edges...),
			})
		}
	}
	if len(found) < len(names) {
		return nil, flow.ErrNotFound
	}
	return entries, nil
}
