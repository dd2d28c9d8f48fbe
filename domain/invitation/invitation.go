// Package invitation holds invitations to workspaces (spec/workspaces.md section 2). An
// invitation is for one address, and has one secret at a time, which is mailed to it:
// inviting an address again renews the one that is pending, and the mail before is worth
// nothing from then on.
package invitation

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

const (
	// DefaultDays is how many days an invitation holds unless its sender says otherwise.
	DefaultDays = 7
	// MaxDays is how many it may hold.
	MaxDays = 30
	// MaxAtOnce is how many addresses one call may invite.
	MaxAtOnce = 100
	// Kept is how long an invitation is kept once it has ended.
	Kept = 90 * day

	day = 24 * time.Hour
)

// Errors of invitations.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such invitation")
	ErrEnded    = fault.New(fault.Validation, "the invitation was accepted, was taken back, or has expired: invite the address again")
	// ErrGone is the one answer to a token that is worth nothing, whatever the reason.
	ErrGone = fault.New(fault.NotFound, "the invitation was used, was taken back, was sent again, or has expired: ask for another one")
	// ErrOther refuses somebody who holds the token, but not the address.
	ErrOther = fault.New(fault.Denied, "the invitation is for another address: use the account of that address, or ask for an invitation to yours")
	// ErrWithdrawn refuses what its sender could not offer any more.
	ErrWithdrawn = fault.New(fault.Denied, "who sent the invitation may not give this role any more: ask for another one")
	// ErrMember refuses who belongs to the workspace already.
	ErrMember = fault.New(fault.Validation, "whoever this is for belongs to the workspace already")
)

// Status is what has become of an invitation by a moment.
type Status string

// The states of an invitation.
const (
	Pending  Status = "pending"
	Accepted Status = "accepted"
	Revoked  Status = "revoked"
	Expired  Status = "expired"
)

// SchemaFragment describes the status in a JSON Schema.
func (Status) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Pending), string(Accepted), string(Revoked), string(Expired)}}
}

// Sender is who invites: a person, or else an app.
type Sender struct {
	User user.ID
	App  app.ID
}

// Offer is what an invitation offers.
type Offer struct {
	// Role is the key of the role.
	Role    string
	Message string
	By      Sender
	Days    int
}

// Snapshot is the stored state of an invitation.
type Snapshot struct {
	ID      ID
	OrgID   workspace.ID
	Email   email.Address
	Role    string
	Message string
	By      Sender
	// Ended is Accepted or Revoked; "" while the invitation is pending or has expired.
	Ended Status
	// Round counts the mails: the token of an earlier one is worth nothing.
	Round      int
	CreatedAt  time.Time
	SentAt     time.Time
	ExpiresAt  time.Time
	EndedAt    time.Time
	AcceptedBy user.ID
}

// Status returns what has become of the invitation by a moment.
func (s Snapshot) Status(now time.Time) Status {
	switch {
	case s.Ended != "":
		return s.Ended
	case !now.Before(s.ExpiresAt):
		return Expired
	default:
		return Pending
	}
}

// PurgeAt returns when nobody needs to know of the invitation any more.
func (s Snapshot) PurgeAt() time.Time {
	if s.Ended != "" {
		return s.EndedAt.Add(Kept)
	}
	return s.ExpiresAt.Add(Kept)
}

// Days is how many days the invitation holds from when it was sent.
func (s Snapshot) Days() int { return int(s.ExpiresAt.Sub(s.SentAt) / day) }

// Invitation is one address that is invited to one workspace.
type Invitation struct {
	aggregate.Root
	s Snapshot
}

// New invites an address.
func New(id ID, org workspace.ID, address email.Address, o Offer, now time.Time) *Invitation {
	i := &Invitation{s: Snapshot{ID: id, OrgID: org, Email: address, CreatedAt: now}}
	i.offer(o, now)
	i.Raise(Created{InvitationID: id, OrgID: org, Role: o.Role, InvitedBy: o.By.User})
	return i
}

// Restore returns the invitation that was stored.
func Restore(s Snapshot, version int64) *Invitation {
	return &Invitation{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (i *Invitation) Snapshot() Snapshot { return i.s }

// Renew offers anew, also after the offer before has expired; whoever it is by answers
// for it from now on. It fails with ErrEnded.
func (i *Invitation) Renew(address email.Address, o Offer, now time.Time) error {
	if i.s.Ended != "" {
		return ErrEnded
	}
	i.s.Email = address
	i.offer(o, now)
	i.Raise(Resent{InvitationID: i.s.ID, OrgID: i.s.OrgID, Role: o.Role, InvitedBy: o.By.User})
	return nil
}

func (i *Invitation) offer(o Offer, now time.Time) {
	i.s.Role, i.s.Message, i.s.By, i.s.SentAt = o.Role, o.Message, o.By, now
	i.s.ExpiresAt = now.Add(time.Duration(o.Days) * day)
	i.s.Round++
}

// Revoke takes the invitation back, for a reason. It fails with ErrEnded.
func (i *Invitation) Revoke(reason Reason, now time.Time) error {
	if i.s.Status(now) != Pending {
		return ErrEnded
	}
	i.s.Ended, i.s.EndedAt = Revoked, now
	i.Raise(WasRevoked{InvitationID: i.s.ID, OrgID: i.s.OrgID, Reason: reason})
	return nil
}

// Holds fails with ErrGone unless the token of a round is worth something.
func (s Snapshot) Holds(round int, now time.Time) error {
	if s.Round != round || s.Status(now) != Pending {
		return ErrGone
	}
	return nil
}

// Accept notes that somebody came by the token of a round. It fails with ErrGone.
func (i *Invitation) Accept(round int, person user.ID, now time.Time) error {
	if err := i.s.Holds(round, now); err != nil {
		return err
	}
	i.s.Ended, i.s.EndedAt, i.s.AcceptedBy = Accepted, now, person
	i.Raise(WasAccepted{InvitationID: i.s.ID, OrgID: i.s.OrgID, UserID: person, Role: i.s.Role})
	return nil
}
