package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

const invitationColumns = `id, org_id, email, role, message, invited_by, app_id, ended, round, created_at, sent_at, expires_at, ended_at, accepted_by, version`

// invitationRow is an invitation as it is stored; address and message are sealed.
type invitationRow struct {
	ID         invitation.ID     `db:"id"`
	OrgID      workspace.ID      `db:"org_id"`
	Email      string            `db:"email"`
	Role       string            `db:"role"`
	Message    string            `db:"message"`
	InvitedBy  user.ID           `db:"invited_by"`
	AppID      app.ID            `db:"app_id"`
	Ended      invitation.Status `db:"ended"`
	Round      int               `db:"round"`
	CreatedAt  sqlstore.Instant  `db:"created_at"`
	SentAt     sqlstore.Instant  `db:"sent_at"`
	ExpiresAt  sqlstore.Instant  `db:"expires_at"`
	EndedAt    sqlstore.Instant  `db:"ended_at"`
	AcceptedBy user.ID           `db:"accepted_by"`
	Version    int64             `db:"version"`
}

func (r *invitationRow) snapshot(store *sqlstore.Store) (invitation.Snapshot, error) {
	open := store.RowOpener("invitations", r.ID.String())
	s := invitation.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Email: email.Restore(open.Value("email", r.Email)), Role: r.Role,
		Message: open.Value("message", r.Message), By: invitation.Sender{User: r.InvitedBy, App: r.AppID},
		Ended: r.Ended, Round: r.Round, CreatedAt: r.CreatedAt.Time, SentAt: r.SentAt.Time, ExpiresAt: r.ExpiresAt.Time,
		EndedAt: r.EndedAt.Time, AcceptedBy: r.AcceptedBy,
	}
	if open.Err != nil {
		return s, fmt.Errorf("open the invitation %s: %w", r.ID, open.Err)
	}
	return s, nil
}

// Invitations returns the repository of invitations.
func Invitations(tx *sqlstore.Tx) workspaces.Invitations { return invitations{tx} }

type invitations struct{ tx *sqlstore.Tx }

// ByID reads one invitation.
func (r invitations) ByID(ctx context.Context, id invitation.ID) (*invitation.Invitation, error) {
	return r.one(ctx, `id = ?`, id.String())
}

// Open reads the invitation of a workspace for an email address that has not ended.
func (r invitations) Open(ctx context.Context, org workspace.ID, address email.Address) (*invitation.Invitation, error) {
	return r.one(ctx, `org_id = ? AND email_index = ? AND ended = ''`, org.String(), r.tx.Store().EmailIndex(address))
}

func (r invitations) one(ctx context.Context, which string, args ...any) (*invitation.Invitation, error) {
	found, err := oneInvitation(ctx, r.tx.Queries, which, args...)
	if err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return invitation.Restore(s, found.Version), err
}

func oneInvitation(ctx context.Context, q *sqlstore.Queries, which string, args ...any) (*invitationRow, error) {
	var found invitationRow
	err := q.One(ctx, &found, invitation.ErrNotFound, `SELECT `+invitationColumns+` FROM invitations
		WHERE `+which+` AND EXISTS (SELECT 1 FROM workspaces WHERE id = invitations.org_id AND deleted_at IS NULL)`, args...)
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// Save stores an invitation.
func (r invitations) Save(ctx context.Context, i *invitation.Invitation) error {
	s, store := i.Snapshot(), r.tx.Store()
	seal := store.RowSealer("invitations", s.ID.String())
	return r.tx.Save(ctx, "invitations", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"email", seal("email", s.Email.String())},
		{"email_index", store.EmailIndex(s.Email)},
		{"role", s.Role},
		{"message", seal("message", s.Message)},
		{"invited_by", s.By.User.String()},
		{"app_id", s.By.App.String()},
		{"ended", string(s.Ended)},
		{"round", s.Round},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"sent_at", sqlstore.At(s.SentAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"ended_at", sqlstore.At(s.EndedAt)},
		{"accepted_by", s.AcceptedBy.String()},
		{"purge_at", sqlstore.At(s.PurgeAt())},
	}, i)
}
