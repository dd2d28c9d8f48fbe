package ops

import (
	"context"

	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
)

// IPRules stores rules about addresses, inside a unit of work. The empty workspace is the
// instance. Each change moves the instance revision.
type IPRules interface {
	// Hold holds off every other change of rules until the transaction ends: whether one
	// locks somebody out is decided on all rules of a scope. It fails with
	// workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) error
	// ByID fails with iprule.ErrNotFound.
	ByID(ctx context.Context, id iprule.ID) (*iprule.Rule, error)
	// Deciding returns the rules of a scope that are on no list.
	Deciding(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error)
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Save fails with iprule.ErrTaken where the scope has another rule for the range, on
	// the same list.
	Save(ctx context.Context, rule *iprule.Rule) error
	Delete(ctx context.Context, rule *iprule.Rule) error
}

// IPRuleDirectory reads rules about addresses, outside any transaction.
type IPRuleDirectory interface {
	// OfScope returns all rules of a workspace, or of the instance for the empty one.
	OfScope(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error)
	// List reads newest rules first.
	List(ctx context.Context, query IPRuleQuery) ([]iprule.Snapshot, error)
}

// IPRuleQuery narrows a list of rules of one scope; zero values do not narrow.
type IPRuleQuery struct {
	Org    workspace.ID
	List   iprule.List
	Action iprule.Action
	// Before is the last id of the page before.
	Before iprule.ID
	Limit  int
}

// IPRuleMarks are the revisions of the instance at which rules about addresses changed
// last; 0: there never was any.
type IPRuleMarks struct {
	// Instance is that of the instance's own rules, Workspaces that of those of any workspace.
	Instance, Workspaces int64
}
