package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Workspaces gives the workspaces and memberships.
func (t *Tx) Workspaces() outbound.Workspaces { return workspaces{t} }

type workspaces struct{ tx *Tx }

// workspaceRow is a workspace as it is stored.
type workspaceRow struct {
	ID         workspace.ID   `db:"id"`
	Name       string         `db:"name"`
	PersonalOf sql.NullString `db:"personal_of"`
	CreatedAt  instant        `db:"created_at"`
	Version    int64          `db:"version"`
}

func (r *workspaceRow) snapshot() workspace.Snapshot {
	return workspace.Snapshot{ID: r.ID, Name: r.Name, PersonalOf: user.ID(r.PersonalOf.String), CreatedAt: r.CreatedAt.Time}
}

// ByID reads one workspace.
func (r workspaces) ByID(ctx context.Context, id workspace.ID) (*workspace.Workspace, error) {
	found, err := oneWorkspace(ctx, r.tx.q, id)
	if err != nil {
		return nil, err
	}
	return workspace.Restore(found.snapshot(), found.Version), nil
}

// Save stores a workspace.
func (r workspaces) Save(ctx context.Context, w *workspace.Workspace) error {
	snapshot := w.Snapshot()
	err := r.tx.save(ctx, "workspaces", row{{"id", snapshot.ID.String()}}, row{
		{"name", snapshot.Name},
		{"personal_of", sql.NullString{String: snapshot.PersonalOf.String(), Valid: snapshot.Personal()}},
		{"created_at", at(snapshot.CreatedAt)},
	}, w)
	if err != nil {
		return fmt.Errorf("save a workspace: %w", err)
	}
	return nil
}

// memberRow is a membership as it is stored.
type memberRow struct {
	Grants   string  `db:"grants"`
	JoinedAt instant `db:"joined_at"`
	Version  int64   `db:"version"`
}

// Member reads one membership.
func (r workspaces) Member(ctx context.Context, org workspace.ID, person user.ID) (*workspace.Member, error) {
	var found memberRow
	err := r.tx.q.get(ctx, &found, `SELECT grants, joined_at, version FROM members WHERE org_id = ? AND user_id = ?`,
		org.String(), person.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, workspace.ErrNotMember
	}
	if err != nil {
		return nil, fmt.Errorf("read a membership: %w", err)
	}
	return restoreMember(org, person, found)
}

func restoreMember(org workspace.ID, person user.ID, found memberRow) (*workspace.Member, error) {
	grants, err := grantsOf(found.Grants)
	if err != nil {
		return nil, err
	}
	return workspace.RestoreMember(workspace.MemberSnapshot{
		OrgID: org, UserID: person, Grants: grants, JoinedAt: found.JoinedAt.Time,
	}, found.Version), nil
}

// SaveMember stores a membership.
func (r workspaces) SaveMember(ctx context.Context, m *workspace.Member) error {
	snapshot := m.Snapshot()
	grants, err := encodeList(snapshot.Grants)
	if err != nil {
		return fmt.Errorf("encode the roles of a member: %w", err)
	}
	key := row{{"org_id", snapshot.OrgID.String()}, {"user_id", snapshot.UserID.String()}}
	err = r.tx.save(ctx, "members", key, row{{"grants", grants}, {"joined_at", at(snapshot.JoinedAt)}}, m)
	if err != nil {
		return fmt.Errorf("save a membership: %w", err)
	}
	return nil
}

// OtherOwners counts under a lock of the workspace's row. The text is searched
// first, so that only memberships which name the role are decoded.
func (r workspaces) OtherOwners(ctx context.Context, org workspace.ID, besides user.ID) (int, error) {
	var locked []workspace.ID
	if err := r.tx.q.list(ctx, &locked, `SELECT id FROM workspaces WHERE id = ? {for update}`, org.String()); err != nil {
		return 0, fmt.Errorf("lock a workspace: %w", err)
	}
	var held []string
	err := r.tx.q.list(ctx, &held, `
		SELECT grants FROM members WHERE org_id = ? AND user_id <> ? AND {position}(grants, ?) > 0`,
		org.String(), besides.String(), quoted(role.Owner))
	if err != nil {
		return 0, fmt.Errorf("list the owners of a workspace: %w", err)
	}
	owners := 0
	for _, encoded := range held {
		grants, err := decodeList[workspace.Grant](encoded)
		if err != nil {
			return 0, fmt.Errorf("decode the roles of a member: %w", err)
		}
		if slices.ContainsFunc(grants, func(g workspace.Grant) bool { return g.Role == role.Owner && g.ExpiresAt.IsZero() }) {
			owners++
		}
	}
	return owners, nil
}
