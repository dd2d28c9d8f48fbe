// Package invitation defines invitations to workspaces (spec/workspaces.md section 2).
// An invitation is for one address, and has one valid token, which is mailed to it:
// inviting an address again renews the pending invitation and invalidates the previous
// token.
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
	// DefaultDays is the default lifetime of an invitation, in days.
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
	ErrEnded    = fault.New(fault.Validation, "the invitation was accepted, was revoked or has expired: invite the address again")
	// ErrGone is returned for an invalid token, whatever the reason.
	ErrGone = fault.New(fault.Auth, "the invitation was used, revoked or resent, or has expired: ask for a new one")
	// ErrOther is returned to a person whose address is not the invited one.
	ErrOther = fault.New(fault.Denied, "the invitation is for another email address: use that account, or ask for an invitation to your address")
	// ErrWithdrawn is returned if the sender may no longer grant the offered role.
	ErrWithdrawn = fault.New(fault.Denied, "the sender of the invitation can no longer grant this role: ask for a new invitation")
	// ErrMember is returned if the invited person is already a member of the workspace.
	ErrMember = fault.New(fault.Validation, "this person is already a member of the workspace")
)

// Status is the state of an invitation at a time.
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

// Sender is the person or app that invites.
type Sender struct {
	User user.ID
	App  app.ID
}

// Offer are the terms of an invitation.
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
	// Round counts the mails; only the token of the latest is valid.
	Round      int
	CreatedAt  time.Time
	SentAt     time.Time
	ExpiresAt  time.Time
	EndedAt    time.Time
	AcceptedBy user.ID
}

// Status returns the state of the invitation at a time.
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

// PurgeAt returns when the invitation can be deleted.
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

// Renew renews the invitation, even if it has expired, with a new sender and terms. It
// fails with ErrEnded.
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

// Holds fails with ErrGone unless the token of a round is valid.
func (s Snapshot) Holds(round int, now time.Time) error {
	if s.Round != round || s.Status(now) != Pending {
		return ErrGone
	}
	return nil
}

// Accept records the acceptance with the token of a round. It fails with ErrGone.
func (i *Invitation) Accept(round int, person user.ID, now time.Time) error {
	if err := i.s.Holds(round, now); err != nil {
		return err
	}
	i.s.Ended, i.s.EndedAt, i.s.AcceptedBy = Accepted, now, person
	i.Raise(WasAccepted{InvitationID: i.s.ID, OrgID: i.s.OrgID, UserID: person, Role: i.s.Role})
	return nil
}
