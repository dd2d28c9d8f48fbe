// Package flows implements the family FLOW: graphs that decide before the built-in
// handling of sign-ins and other triggers (contract section 8, spec/flows.md).
package flows

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// The permissions of the family.
const (
	reading = "flows:read"
	writing = "flows:write"
)

// errInstance is returned to callers who may not see the flows of the instance.
var errInstance = fault.New(fault.Denied, "only superadmins can access flows of the instance: omit scope to use the flows of the workspace")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Flows ops.Flows

	graphs *graphs
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory ops.FlowDirectory
	Compiler  plan.Compiler
	Documents outbound.Documents
	Runs      ops.FlowRunDirectory
	// Lists are those of addresses, Live is how flows decide.
	Lists   addresses.Lists
	Live    *live.Flows
	Cursors page.Cursors
	Clock   outbound.Clock
	IDs     outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.get(),
		s.create(),
		s.update(),
		s.delete(),
		s.test(),
		s.enable(),
		s.disable(),
		s.validate(),
		s.runList(),
		s.runGet(),
		s.backtest(),
		s.nodeTypeList(),
		s.triggerList(),
		s.templateList(),
		s.versionList(),
		s.rollback(),
		s.export(),
		s.importing(),
	}
}

// Flow is a flow in results.
type Flow struct {
	ID          flow.ID      `json:"id" doc:"ID of the flow."`
	Name        flow.Name    `json:"name" doc:"Name of the flow. Unique in its scope."`
	Description string       `json:"description" doc:"Purpose of the flow."`
	Trigger     flow.Trigger `json:"trigger" doc:"Trigger that the flow decides about."`
	Scope       flow.Scope   `json:"scope" doc:"Owner of the flow: the instance or a workspace."`
	Enabled     bool         `json:"enabled" doc:"Whether the flow is enabled. At most one flow per trigger and scope is."`
	Version     int          `json:"version" doc:"Version of the graph shown."`
	flow.Graph
	CreatedAt time.Time `json:"created_at" doc:"Time at which the flow was created."`
	UpdatedAt time.Time `json:"updated_at" doc:"Time at which the flow was last updated."`
}

// Result is a flow after a change.
type Result struct {
	Flow Flow `json:"flow" doc:"The flow after the change."`
}

// SavedFlow is a flow after a change, for callers with the write permission.
type SavedFlow struct {
	Result

	SigningSecret secret.Shown `json:"signing_secret,omitzero" doc:"Secret that signs the requests of the flow's webhook_check nodes, in the form that Standard Webhooks libraries accept. The same for every version. Omitted if the flow has no such nodes."`
}

// saved returns the result of a change, with the secret where the flow asks other servers.
func (s *Service) saved(r Result) SavedFlow {
	if !slices.ContainsFunc(r.Flow.Nodes, func(n flow.Node) bool { return n.Type == plan.WebhookCheck }) {
		return SavedFlow{Result: r}
	}
	return SavedFlow{r, secret.Shown(s.Live.Secret(r.Flow.ID))}
}

func show(s flow.Snapshot) Flow {
	return Flow{
		ID: s.ID, Name: s.Name, Description: s.Description, Trigger: s.Trigger, Scope: s.Scope(), Enabled: s.Enabled,
		Version: s.Current.Number, Graph: s.Current.Graph, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// ScopeParams select the owner of flows.
type ScopeParams struct {
	Scope flow.Scope `json:"scope,omitzero" doc:"Owner of the flow: workspace, or instance for superadmins only. Defaults to workspace."`
}

// at returns the workspace whose flows are meant, or "" for the instance's.
func (p ScopeParams) at(caller access.Caller) (workspace.ID, error) {
	switch {
	case p.Scope == flow.Instance && !caller.Superadmin:
		return "", errInstance
	case p.Scope == flow.Instance:
		return "", nil
	case caller.Org == "":
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// change changes a flow, and stores it unless nothing changed.
func (s *Service) change(
	ctx context.Context, caller access.Caller, at ScopeParams, name flow.Name, change func(tx Repos, f *flow.Flow) error,
) (Result, error) {
	org, err := at.at(caller)
	if err != nil {
		return Result{}, err
	}
	return s.changeOf(ctx, org, name, change)
}

// changeOf is change for a workspace, or "" for the instance.
func (s *Service) changeOf(
	ctx context.Context, org workspace.ID, name flow.Name, change func(tx Repos, f *flow.Flow) error,
) (result Result, err error) {
	err = s.do(ctx, func(tx Repos) error {
		if err := tx.Flows.Hold(ctx, org); err != nil {
			return err
		}
		f, err := tx.Flows.ByName(ctx, org, name)
		if err != nil {
			return err
		}
		if err := change(tx, f); err != nil {
			return err
		}
		result.Flow = show(f.Snapshot())
		if !f.Changed() {
			return nil
		}
		return tx.Flows.Save(ctx, f)
	})
	return result, err
}

// author names who makes a version.
func author(caller access.Caller) string {
	if caller.User != "" {
		return caller.User.String()
	}
	return caller.Client
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }
