package user

import (
	"slices"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
)

// Kinds of events of addresses and of what is required first.
const (
	KindEmailVerified         event.Kind = "user.email_verified"
	KindEmailChanged          event.Kind = "user.email_changed"
	KindEmailChangeRequested  event.Kind = "user.email_change_requested"
	KindVerificationRequested event.Kind = "user.verification_requested"
	KindRequiredActionsSet    event.Kind = "user.required_actions_set"
)

// EmailVerified is the content of user.email_verified.
type EmailVerified struct {
	UserID  ID   `json:"user_id" doc:"The account."`
	Claimed bool `json:"claimed,omitzero" doc:"Whether what had been set up before anybody proved the address is gone: password, sessions, passkeys, linked accounts, API keys, remembered devices."`
}

// EmailChanged is the content of user.email_changed.
type EmailChanged struct {
	UserID   ID   `json:"user_id" doc:"The account."`
	Verified bool `json:"verified" doc:"Whether the address is known to be the person's."`
}

// EmailChangeRequested is the content of user.email_change_requested.
type EmailChangeRequested struct {
	UserID ID `json:"user_id" doc:"The account."`
}

// VerificationRequested is the content of user.verification_requested. It names no
// account: nobody looks whether the address has one, since that takes time.
type VerificationRequested struct{}

// RequiredActionsSet is the content of user.required_actions_set.
type RequiredActionsSet struct {
	UserID  ID       `json:"user_id" doc:"The account."`
	Actions []Action `json:"actions" doc:"All that the person must do at the next login."`
}

func (EmailVerified) Kind() event.Kind         { return KindEmailVerified }
func (EmailChanged) Kind() event.Kind          { return KindEmailChanged }
func (EmailChangeRequested) Kind() event.Kind  { return KindEmailChangeRequested }
func (VerificationRequested) Kind() event.Kind { return KindVerificationRequested }
func (RequiredActionsSet) Kind() event.Kind    { return KindRequiredActionsSet }

func (e EmailVerified) Concerns() event.Concern        { return about(e.UserID) }
func (e EmailChanged) Concerns() event.Concern         { return about(e.UserID) }
func (e EmailChangeRequested) Concerns() event.Concern { return about(e.UserID) }
func (VerificationRequested) Concerns() event.Concern  { return event.Concern{} }
func (e RequiredActionsSet) Concerns() event.Concern   { return about(e.UserID) }

// addressEvents describes these kinds for the catalogue.
func addressEvents(example ID) []event.Definition {
	return []event.Definition{
		{Summary: "Somebody proved that the address of an account is theirs.", Example: EmailVerified{UserID: example}},
		{Summary: "An account has another address, or its verified mark was corrected.", Example: EmailChanged{example, true}},
		{Summary: "A person asked for another address, which is yet to be confirmed.", Example: EmailChangeRequested{example}},
		{Summary: "Somebody asked for the verification mail again.", Example: VerificationRequested{}},
		{Summary: "An administrator set what a person must do at the next login.", Example: RequiredActionsSet{example, []Action{ChangePassword}}},
	}
}

// VerifyEmail notes that the person proved the address to be theirs. Once it is
// verified, that changes nothing.
func (u *User) VerifyEmail(now time.Time) { u.verify(false, now) }

// Claim notes that the person proved the address to be theirs, and that what was
// set up before is gone.
func (u *User) Claim(now time.Time) { u.verify(true, now) }

func (u *User) verify(claimed bool, now time.Time) {
	u.Fulfil(VerifyEmail, now)
	if u.s.EmailVerified {
		return
	}
	u.s.EmailVerified, u.s.UpdatedAt = true, now
	u.Raise(EmailVerified{UserID: u.s.ID, Claimed: claimed})
}

// RequestEmailChange notes that the person asked for another address.
func (u *User) RequestEmailChange() { u.Raise(EmailChangeRequested{UserID: u.s.ID}) }

// ChangeEmail gives the account an address, verified or not. The address and mark
// that it has already change nothing.
func (u *User) ChangeEmail(to email.Address, verified bool, now time.Time) {
	if u.s.Email == to && u.s.EmailVerified == verified {
		return
	}
	u.s.Email, u.s.EmailVerified, u.s.UpdatedAt = to, verified, now
	if verified {
		u.Fulfil(VerifyEmail, now)
	}
	u.Raise(EmailChanged{UserID: u.s.ID, Verified: verified})
}

// Require sets all that the person must do at the next login, in place of what
// was required until now. What is required already changes nothing.
func (u *User) Require(actions []Action, now time.Time) {
	if slices.Equal(u.s.RequiredActions, actions) {
		return
	}
	u.s.RequiredActions, u.s.UpdatedAt = slices.Clone(actions), now
	u.Raise(RequiredActionsSet{UserID: u.s.ID, Actions: append([]Action{}, actions...)})
}
