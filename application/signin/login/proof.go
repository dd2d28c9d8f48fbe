package login

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Proof is what a door proved about a person, with what they want there.
type Proof struct {
	Wanted

	UserID user.ID
	// Failed is the reason why the proof does not hold (package loginevent); empty if it holds.
	// UserID is then the account that was tried, if there is one.
	Failed string
	// AMR holds the authentication methods (RFC 8176).
	AMR []string
	// Whole reports whether the second factor was given, or is not needed. Factor is its method,
	// if known.
	Whole  bool
	Factor mfa.Method
	// AuthTime is when presence was proved, if that was before this login.
	AuthTime time.Time
	// CommonPassword reports whether the password that was given is a common one.
	CommonPassword bool
	// Arrival is the upstream account of a social login; else nil.
	Arrival *Arrival
	// New reports whether the account was created in the same unit of work, and Invited is the
	// workspace whose invitation created it, if one did.
	New     bool
	Invited workspace.ID

	// password is a password that was compared and is yet to be judged; nil for other doors.
	password *comparison
}

// Wanted is what a person wants at a door, with the circumstances.
type Wanted struct {
	Call command.Call
	// Policies are those of the account, or of the instance for an account that is new.
	Policies policy.Set
	// Org is the workspace to enter; if empty, the one that was active last.
	Org workspace.ID
	// Device is the token of a remembered device, if one was sent.
	Device secret.String
	// Invitation is the digest of the invitation token, if the person follows an invitation.
	Invitation string
	// Must are required actions in addition to those of the account and its policies.
	Must []user.Action
	// Refused is the answer to a refusal whose reason is not disclosed; ErrRefused if nil.
	Refused error
}

// proof refuses a proof that failed. It reads the credential of a password, and fails with
// errMoved if the password was compared with another hash.
func (s *Service) proof(ctx context.Context, tx Repos, e *entry) error {
	if e.password != nil {
		var err error
		if e.credential, err = s.compared(ctx, tx, *e.password); err != nil {
			return err
		}
		if e.credential == nil {
			e.Failed = loginevent.UnknownUser
		}
	}
	if e.Failed != "" {
		e.refuse(e.Failed, nil)
	}
	return nil
}
