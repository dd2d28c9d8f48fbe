package ops

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// Policies returns the repository of policies.
func Policies(tx *sqlstore.Tx) ops.Policies { return policies{tx} }

type policies struct{ tx *sqlstore.Tx }

// Get reads the values that were set, nil if none were. It locks the row of the instance, because the
// policy may have no row yet.
func (r policies) Get(ctx context.Context, org workspace.ID, kind policy.Kind) (ops.PolicyValues, error) {
	var locked int64
	if err := r.tx.Get(ctx, &locked, `SELECT id FROM instance WHERE id = 1 {for update}`); err != nil {
		return nil, fmt.Errorf("lock the policies: %w", err)
	}
	var found []string
	err := r.tx.List(ctx, &found, `SELECT content FROM policies WHERE org_id = ? AND kind = ?`, org.String(), string(kind))
	if err != nil {
		return nil, fmt.Errorf("read a policy: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return decodePolicy(found[0])
}

// Set stores values; without any it resets the policy to the default.
func (r policies) Set(ctx context.Context, org workspace.ID, kind policy.Kind, values ops.PolicyValues) error {
	if err := workspaces.HoldWorkspace(ctx, r.tx, org); err != nil {
		return err
	}
	if err := r.moveRevision(ctx, org); err != nil {
		return err
	}
	return workspaces.ChangeSignInRules(ctx, r.tx, org, func() error { return r.store(ctx, org, kind, values) })
}

func (r policies) store(ctx context.Context, org workspace.ID, kind policy.Kind, values ops.PolicyValues) error {
	if len(values) == 0 {
		if _, err := r.tx.Exec(ctx, `DELETE FROM policies WHERE org_id = ? AND kind = ?`, org.String(), string(kind)); err != nil {
			return fmt.Errorf("reset a policy: %w", err)
		}
		return nil
	}
	content, err := json.Marshal(values, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a policy: %w", err)
	}
	_, err = r.tx.Exec(ctx, `
		INSERT INTO policies (org_id, kind, content) VALUES (?, ?, ?)
		ON CONFLICT (org_id, kind) DO UPDATE SET content = excluded.content`, org.String(), string(kind), string(content))
	if err != nil {
		return fmt.Errorf("store a policy: %w", err)
	}
	return nil
}

// moveRevision increments the revision if cached configuration changes: the policies of the instance,
// or that a workspace has any.
func (r policies) moveRevision(ctx context.Context, org workspace.ID) error {
	if org != "" {
		var some []int64
		if err := r.tx.List(ctx, &some, `SELECT 1 FROM policies WHERE org_id > '' LIMIT 1`); err != nil {
			return fmt.Errorf("look for policies of workspaces: %w", err)
		}
		if len(some) > 0 {
			return nil
		}
	}
	return moveRevision(ctx, r.tx)
}

func decodePolicy(content string) (ops.PolicyValues, error) {
	var values ops.PolicyValues
	if err := json.Unmarshal([]byte(content), &values); err != nil {
		return nil, fmt.Errorf("decode a policy: %w", err)
	}
	return values, nil
}

// WorkspacePolicies returns the directory of the policies of workspaces.
func WorkspacePolicies(store *sqlstore.Store) ops.WorkspacePolicies { return workspacePolicies{store} }

type workspacePolicies struct{ store *sqlstore.Store }

// policyRow is a policy as it is stored.
type policyRow struct {
	OrgID   string      `db:"org_id"`
	Kind    policy.Kind `db:"kind"`
	Content string      `db:"content"`
}

// OfUser reads the policies of a user's workspaces that have any.
func (r workspacePolicies) OfUser(ctx context.Context, person user.ID) ([]ops.WorkspacePolicy, error) {
	var found []policyRow
	err := r.store.Reader(ctx).List(ctx, &found, `
		SELECT p.org_id, p.kind, p.content FROM members m JOIN policies p ON p.org_id = m.org_id
		WHERE m.user_id = ? ORDER BY p.org_id, p.kind`, person.String())
	if err != nil {
		return nil, fmt.Errorf("read the policies of a user's workspaces: %w", err)
	}
	var all []ops.WorkspacePolicy
	for i, p := range found {
		if i == 0 || found[i-1].OrgID != p.OrgID {
			all = append(all, ops.WorkspacePolicy{OrgID: workspace.ID(p.OrgID), Values: map[policy.Kind]ops.PolicyValues{}})
		}
		if all[len(all)-1].Values[p.Kind], err = decodePolicy(p.Content); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// OfOrg reads the policies of one workspace.
func (r workspacePolicies) OfOrg(ctx context.Context, org workspace.ID) (map[policy.Kind]ops.PolicyValues, error) {
	var found []policyRow
	err := r.store.Reader(ctx).List(ctx, &found, `SELECT org_id, kind, content FROM policies WHERE org_id = ?`, org.String())
	if err != nil {
		return nil, fmt.Errorf("read the policies of a workspace: %w", err)
	}
	values := make(map[policy.Kind]ops.PolicyValues)
	for _, p := range found {
		if values[p.Kind], err = decodePolicy(p.Content); err != nil {
			return nil, err
		}
	}
	return values, nil
}
