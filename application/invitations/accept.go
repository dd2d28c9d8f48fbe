package invitations

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// permission is required to invite.
const permission = "members:write"

// Guest is a person with an invitation.
type Guest struct {
	// Invitation is the digest of its token.
	Invitation string
	Person     *user.User
	// Proof is how far the token proves the address of the account.
	Proof user.EmailProof
}

// Acceptance is the result of an accepted invitation.
type Acceptance struct {
	Workspace workspace.Snapshot
	Role      role.Role
}

// Digest returns the digest of a token in the store; "" for none.
func Digest(token secret.String) string {
	if token.Empty() {
		return ""
	}
	return challenge.Digest(token.Reveal())
}

// Hold returns and locks an invitation that is about to be accepted, by the digest of
// its token. It fails like Accept, except for the recipient.
func (tx Repos) Hold(ctx context.Context, digest string, now time.Time) (invitation.Snapshot, error) {
	waiting, err := tx.Challenges.Look(ctx, challenge.Invitation, digest, now)
	if err != nil {
		return invitation.Snapshot{}, gone(err)
	}
	behind, err := tokenOf(waiting)
	if err != nil {
		return invitation.Snapshot{}, err
	}
	i, err := tx.Invitations.ByID(ctx, behind.ID)
	if err != nil {
		return invitation.Snapshot{}, gone(err)
	}
	if err := i.Snapshot().Holds(behind.Round, now); err != nil {
		return invitation.Snapshot{}, err
	}
	_, err = tx.stands(ctx, i.Snapshot(), now)
	return i.Snapshot(), err
}

// Suits reports whether a guest could accept: it fails as Accept does, and changes nothing.
func (tx Repos) Suits(ctx context.Context, g Guest, now time.Time) error {
	held, err := tx.Hold(ctx, g.Invitation, now)
	if err != nil {
		return err
	}
	return tx.suits(ctx, g, held)
}

// Accept accepts an invitation for the account with the invited address, in the unit of
// work that logs the guest in or creates the account: of concurrent calls, one
// succeeds. It fails with invitation.ErrGone, ErrOther, ErrWithdrawn and ErrMember.
func (tx Repos) Accept(ctx context.Context, g Guest, now time.Time) (Acceptance, error) {
	used, err := tx.Challenges.Take(ctx, challenge.Invitation, g.Invitation, now)
	if err != nil {
		return Acceptance{}, gone(err)
	}
	behind, err := tokenOf(used)
	if err != nil {
		return Acceptance{}, err
	}
	i, err := tx.Invitations.ByID(ctx, behind.ID)
	if err != nil {
		return Acceptance{}, gone(err)
	}
	if err := i.Accept(behind.Round, g.Person.ID(), now); err != nil {
		return Acceptance{}, err
	}
	joined, err := tx.stands(ctx, i.Snapshot(), now)
	if err != nil {
		return Acceptance{}, err
	}
	if err := tx.admit(ctx, g, i.Snapshot(), now); err != nil {
		return Acceptance{}, err
	}
	if err := tx.Invitations.Save(ctx, i); err != nil {
		return Acceptance{}, err
	}
	org := joined.Workspace.ID
	return joined, tx.Workspaces.SaveMember(ctx, workspace.JoinOther(org, g.Person.ID(), joined.Role.Ref(), now))
}

// admit checks that the guest is the recipient. The token proves exactly the mailbox
// that it was sent to.
func (tx Repos) admit(ctx context.Context, g Guest, s invitation.Snapshot, now time.Time) error {
	if err := tx.suits(ctx, g, s); err != nil {
		return err
	}
	if account := g.Person.Snapshot(); account.Email != s.Email || g.Proof <= account.EmailProof() {
		return nil
	}
	g.Person.VerifyEmail(g.Proof, now)
	return tx.Users.Save(ctx, g.Person)
}

func (tx Repos) suits(ctx context.Context, g Guest, s invitation.Snapshot) error {
	account := g.Person.Snapshot()
	if account.Email != s.Email && (!account.EmailVerified || account.Email.Folded() != s.Email.Folded()) {
		return invitation.ErrOther
	}
	_, err := tx.Workspaces.Member(ctx, s.OrgID, account.ID)
	if err == nil {
		return invitation.ErrMember
	}
	return except(err, workspace.ErrNotMember)
}

// stands validates the offer again. It fails with invitation.ErrGone if the workspace
// was deleted, and with ErrWithdrawn if the sender may no longer make the offer.
func (tx Repos) stands(ctx context.Context, s invitation.Snapshot, now time.Time) (Acceptance, error) {
	w, err := tx.Workspaces.ByID(ctx, s.OrgID)
	if errors.Is(err, workspace.ErrNotFound) {
		return Acceptance{}, invitation.ErrGone
	}
	if err != nil {
		return Acceptance{}, err
	}
	if w.Snapshot().Disabled() {
		return Acceptance{}, workspace.ErrSuspended
	}
	book, err := tx.Books.Hold(ctx, s.OrgID)
	if err != nil {
		return Acceptance{}, err
	}
	held, err := tx.held(ctx, book, s, now)
	if err != nil {
		return Acceptance{}, err
	}
	offered, known := book.ByKey(s.Role)
	if !known || !held.Cover(permission) || !held.CoverAll(offered.Permissions) {
		return Acceptance{}, invitation.ErrWithdrawn
	}
	return Acceptance{Workspace: w.Snapshot(), Role: offered}, nil
}

// held returns the current permissions of the sender in the workspace.
func (tx Repos) held(ctx context.Context, book *role.Book, s invitation.Snapshot, now time.Time) (access.Permissions, error) {
	if s.By.User == "" {
		return tx.heldByApp(ctx, s)
	}
	by, err := tx.Users.ByID(ctx, s.By.User)
	if err != nil || !by.Snapshot().Usable(now) {
		return nil, except(err, user.ErrNotFound)
	}
	if by.Snapshot().Superadmin {
		return access.Permissions{"*"}, nil
	}
	m, err := tx.Books.Holding(ctx, s.OrgID, s.By.User)
	if err != nil {
		return nil, except(err, workspace.ErrNotMember)
	}
	return book.Standing(m.MemberGrants, now).Permissions, nil
}

func (tx Repos) heldByApp(ctx context.Context, s invitation.Snapshot) (access.Permissions, error) {
	by, err := tx.Apps.ByID(ctx, s.By.App)
	if err != nil {
		return nil, except(err, app.ErrNotFound)
	}
	if now := by.Snapshot(); now.Enabled && now.OrgID == s.OrgID {
		return access.Permissions(now.Scopes), nil
	}
	return nil, nil
}

// except returns an error unless it is the error for a missing object.
func except(err, nothing error) error {
	if errors.Is(err, nothing) {
		return nil
	}
	return err
}
