package flows

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// flowImport is one flow of an import.
type flowImport struct {
	Entry

	id         flow.ID
	onConflict string
	force      bool
	result     *ImportResult
}

// bring brings one flow in.
func (s *Service) bring(ctx context.Context, tx Repos, call command.Call, b flowImport) error {
	org, err := ScopeParams{Scope: b.Scope}.at(call.Caller)
	if err != nil {
		return err
	}
	if err := tx.Flows.Hold(ctx, org); err != nil {
		return err
	}
	there, err := tx.Flows.ByName(ctx, org, b.Name)
	if err != nil && !errors.Is(err, flow.ErrNotFound) {
		return err
	}
	draft := flow.Draft{
		ID: b.id, OrgID: org, Name: b.Name, Description: b.Description, Trigger: b.Trigger, Graph: b.graph(), Author: author(call.Caller),
	}
	switch {
	case there == nil:
	case same(there.Snapshot(), b.Entry):
		return nil
	case b.onConflict == "replace":
		return s.replace(ctx, tx, call, there, b)
	case b.onConflict == "rename":
		if draft.Name, err = free(ctx, tx, draft); err != nil {
			return err
		}
	default:
		return flow.ErrNameTaken
	}
	b.result.Created = append(b.result.Created, draft.Name)
	return tx.Flows.Save(ctx, flow.New(draft, s.now()))
}

// same reports whether a flow is what a document says.
func same(s flow.Snapshot, e Entry) bool {
	return s.Trigger == e.Trigger && s.Description == e.Description && s.Current.Graph.Equal(e.graph())
}

// replace makes a flow what a document says.
func (s *Service) replace(ctx context.Context, tx Repos, call command.Call, there *flow.Flow, b flowImport) error {
	if there.Snapshot().Trigger != b.Trigger {
		return fault.Unfit("/trigger", "differs from the existing flow of the same name: delete that flow first")
	}
	there.Describe(b.Description, s.now())
	if err := s.rewrite(ctx, tx, call, graphUpdate{there, b.graph(), b.force}); err != nil {
		return err
	}
	b.result.Updated = append(b.result.Updated, b.Name)
	return tx.Flows.Save(ctx, there)
}

// renames is how many other names are tried.
const renames = 50

// free returns a name that no flow has.
func free(ctx context.Context, tx Repos, d flow.Draft) (flow.Name, error) {
	for n := 2; n < renames; n++ {
		var name flow.Name
		if err := name.UnmarshalText(fmt.Appendf(nil, "%s-%d", d.Name, n)); err != nil {
			return "", flow.ErrNameTaken
		}
		if _, err := tx.Flows.ByName(ctx, d.OrgID, name); errors.Is(err, flow.ErrNotFound) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", flow.ErrNameTaken
}
