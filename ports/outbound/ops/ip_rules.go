package ops

import (
	"context"

	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
)

// IPRules stores IP rules, inside a unit of work. The empty workspace is the instance.
// Each change increments the instance revision.
type IPRules interface {
	// Hold blocks concurrent changes of rules until the transaction ends, because
	// whether a rule locks out its author depends on all rules of a scope. It fails
	// with workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) error
	// ByID returns a rule. It fails with iprule.ErrNotFound.
	ByID(ctx context.Context, id iprule.ID) (*iprule.Rule, error)
	// Deciding returns the rules of a scope that belong to no list.
	Deciding(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error)
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Save stores a rule. It fails with iprule.ErrTaken if the scope has another rule
	// for the range, on the same list.
	Save(ctx context.Context, rule *iprule.Rule) error
	Delete(ctx context.Context, rule *iprule.Rule) error
}

// IPRuleDirectory reads IP rules, outside any transaction.
type IPRuleDirectory interface {
	// OfScope returns all rules of a workspace, or of the instance for the empty one.
	OfScope(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error)
	// List returns the rules that match, newest first.
	List(ctx context.Context, query IPRuleQuery) ([]iprule.Snapshot, error)
}

// IPRuleQuery narrows a list of rules of one scope; zero values do not narrow.
type IPRuleQuery struct {
	Org    workspace.ID
	List   iprule.List
	Action iprule.Action
	// Before is the last ID of the previous page.
	Before iprule.ID
	Limit  int
}

// IPRuleMarks are the instance revisions of the last changes of IP rules; 0 for none.
type IPRuleMarks struct {
	// Instance is that of the instance's rules, and Workspaces that of the rules of any
	// workspace.
	Instance, Workspaces int64
}
