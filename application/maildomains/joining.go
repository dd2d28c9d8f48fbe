// Package maildomains implements what follows from verified email domains: people with
// an address there join the workspace (spec/workspaces.md section 3), and DNS is
// checked daily for the verification records.
package maildomains

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos are the repositories to join a workspace.
type Repos struct {
	Workspaces workspaces.Workspaces
	Books      workspaces.Books
	Domains    workspaces.MailDomains
}

// Join adds a person to the workspace that admits addresses at their domain, and
// returns it; empty if there is none, or they are a member. With only set, it considers
// this workspace only. The address must be bound to the account. The claim is read
// again under the lock of the workspace's roles, and its role is validated again:
// nobody joins with a role that has come to grant too much.
func (tx Repos) Join(ctx context.Context, who user.Snapshot, only workspace.ID, now time.Time) (workspace.ID, error) {
	if !who.EmailBound || !who.Usable(now) {
		return "", nil
	}
	claim, err := tx.Domains.Open(ctx, who.Email.Domain(), who.ID)
	if err != nil || (only != "" && claim.OrgID != only) {
		return "", except(err)
	}
	book, err := tx.Books.Hold(ctx, claim.OrgID)
	if err != nil {
		return "", except(err)
	}
	if claim, err = tx.Domains.Open(ctx, who.Email.Domain(), who.ID); err != nil {
		return "", except(err)
	}
	given, known := book.ByKey(claim.Role)
	if !known || !maildomain.Joinable(given.Permissions) {
		return "", nil
	}
	return claim.OrgID, tx.Workspaces.SaveMember(ctx, workspace.JoinOther(claim.OrgID, who.ID, given.Ref(), now))
}

// except returns an error unless it means that nobody joins.
func except(err error) error {
	if errors.Is(err, maildomain.ErrNotFound) || errors.Is(err, workspace.ErrNotFound) {
		return nil
	}
	return err
}
