// Package maildomains is what e-mail domains of workspaces mean to everybody else: who has
// an address there joins (spec/workspaces.md section 3), and DNS is asked daily whether
// they are still the workspace's.
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

// Repos is what people join with.
type Repos struct {
	Workspaces workspaces.Workspaces
	Books      workspaces.Books
	Domains    workspaces.MailDomains
}

// Join makes somebody a member of the workspace that takes in whoever has an address at
// its domain, and returns it; empty where there is none, or they belong there. With only
// it is this workspace or none. Their address has to be bound to the account. What the
// claim says is read again under the lock of the workspace's roles, and its role is judged
// as it is then: one that has come to grant too much lets nobody in.
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

// except passes an error on unless it only says that nobody joins.
func except(err error) error {
	if errors.Is(err, maildomain.ErrNotFound) || errors.Is(err, workspace.ErrNotFound) {
		return nil
	}
	return err
}
