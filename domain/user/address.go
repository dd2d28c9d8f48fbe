package user

import (
	"slices"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
)

// Kinds of events of addresses and required actions.
const (
	KindEmailVerified         event.Kind = "user.email_verified"
	KindEmailChanged          event.Kind = "user.email_changed"
	KindEmailChangeRequested  event.Kind = "user.email_change_requested"
	KindVerificationRequested event.Kind = "user.verification_requested"
	KindRequiredActionsSet    event.Kind = "user.required_actions_set"
)

// EmailProof is how far an address is proved to be the person's.
type EmailProof int

const (
	// Unproved is an unverified address.
	Unproved EmailProof = iota
	// Verified is that the mailbox was proved, but not that its owner made the account.
	Verified
	// Bound is that both were.
	Bound
)

// EmailProof returns how far the account's address is proved.
func (s Snapshot) EmailProof() EmailProof {
	switch {
	case s.EmailBound:
		return Bound
	case s.EmailVerified:
		return Verified
	default:
		return Unproved
	}
}

// EmailVerified is the content of user.email_verified.
type EmailVerified struct {
	UserID  ID   `json:"user_id" doc:"ID of the account."`
	Bound   bool `json:"bound,omitzero" doc:"Whether it was also proved, by a session or password of the account, that the account belongs to the same person."`
	Claimed bool `json:"claimed,omitzero" doc:"Whether everything set up before this proof was removed: password, sessions, passkeys, second factors, linked accounts, API keys, remembered devices, and access that others had to the personal workspace."`
}

// EmailChanged is the content of user.email_changed.
type EmailChanged struct {
	UserID   ID   `json:"user_id" doc:"ID of the account."`
	Verified bool `json:"verified" doc:"Whether the address is known to belong to the account's owner."`
	Bound    bool `json:"bound,omitzero" doc:"Whether the account is also known to belong to the owner of the address."`
}

// EmailChangeRequested is the content of user.email_change_requested.
type EmailChangeRequested struct {
	UserID ID `json:"user_id" doc:"ID of the account."`
}

// VerificationRequested is the content of user.verification_requested. It contains no
// account, since looking one up would reveal by timing whether it exists.
type VerificationRequested struct{}

// RequiredActionsSet is the content of user.required_actions_set.
type RequiredActionsSet struct {
	UserID  ID       `json:"user_id" doc:"ID of the account."`
	Actions []Action `json:"actions" doc:"All actions required at the next sign-in."`
}

func (EmailVerified) Kind() event.Kind         { return KindEmailVerified }
func (EmailChanged) Kind() event.Kind          { return KindEmailChanged }
func (EmailChangeRequested) Kind() event.Kind  { return KindEmailChangeRequested }
func (VerificationRequested) Kind() event.Kind { return KindVerificationRequested }
func (RequiredActionsSet) Kind() event.Kind    { return KindRequiredActionsSet }

// addressEvents describes these kinds for the catalog.
func addressEvents(example ID) []event.Definition {
	return []event.Definition{
		{Summary: "The email address of an account was verified.", Example: EmailVerified{UserID: example, Bound: true}},
		{Summary: "The email address of an account, or its verified state, changed.", Example: EmailChanged{UserID: example, Verified: true, Bound: true}},
		{Summary: "A user requested a change of email address, which is not confirmed yet.", Example: EmailChangeRequested{example}},
		{Summary: "A user requested another verification email.", Example: VerificationRequested{}},
		{Summary: "An administrator set the actions required at a user's next sign-in.", Example: RequiredActionsSet{example, []Action{ChangePassword}}},
	}
}

// VerifyEmail notes that the person proved the address to be theirs, or with Bound
// also that the account is. Less than was proved before changes nothing.
func (u *User) VerifyEmail(proof EmailProof, now time.Time) {
	u.Fulfill(VerifyEmail, now)
	if proof <= u.s.EmailProof() {
		return
	}
	u.prove(proof, now)
	u.Raise(EmailVerified{UserID: u.s.ID, Bound: u.s.EmailBound})
}

// Claim records that the owner of the address claimed the account, whose previous
// credentials were removed. If the address is bound already, it changes nothing.
func (u *User) Claim(now time.Time) {
	u.Fulfill(VerifyEmail, now)
	if u.s.EmailBound {
		return
	}
	u.prove(Bound, now)
	u.Raise(EmailVerified{UserID: u.s.ID, Bound: true, Claimed: true})
}

func (u *User) prove(proof EmailProof, now time.Time) {
	u.s.EmailVerified, u.s.EmailBound, u.s.UpdatedAt = proof >= Verified, proof == Bound, now
	u.bound = proof == Bound
}

// RequestEmailChange notes that the person asked for another address.
func (u *User) RequestEmailChange() { u.Raise(EmailChangeRequested{UserID: u.s.ID}) }

// ChangeEmail sets an address of the account that is proved so far. The address and
// proof that it has already change nothing.
func (u *User) ChangeEmail(to email.Address, proof EmailProof, now time.Time) {
	if u.s.Email == to && u.s.EmailProof() == proof {
		return
	}
	u.s.Email = to
	u.prove(proof, now)
	if u.s.EmailVerified {
		u.Fulfill(VerifyEmail, now)
	}
	u.Raise(EmailChanged{UserID: u.s.ID, Verified: u.s.EmailVerified, Bound: u.s.EmailBound})
}

// Require replaces the actions required at the next login. The same actions change
// nothing.
func (u *User) Require(actions []Action, now time.Time) {
	if slices.Equal(u.s.RequiredActions, actions) {
		return
	}
	u.s.RequiredActions, u.s.UpdatedAt = slices.Clone(actions), now
	u.Raise(RequiredActionsSet{UserID: u.s.ID, Actions: append([]Action{}, actions...)})
}
