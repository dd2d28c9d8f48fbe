package passkey

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

var errNoPasskey = fault.Invalid("/challenge_token", "this account has no passkey: use another method")

// BeginLogin begins a login by a discoverable passkey. If an address is given, the passkey
// must belong to the account of that address.
func (s *Service) BeginLogin(ctx context.Context, of email.Address) (Ceremony, error) {
	ceremony, err := s.Ceremonies.Request(signin.PasskeyRequest{Verified: true})
	if err != nil {
		return Ceremony{}, err
	}
	return s.open(ctx, s.Openings, newCeremony{kind: challenge.PasskeyLogin, ceremony: ceremony, content: ceremonyState{Email: of}})
}

// BeginSecondFactor begins a ceremony for a login that waits for a second factor. User
// verification is required if nothing else was proved before. It fails with
// challenge.ErrGone, or if the account has no passkey.
func (s *Service) BeginSecondFactor(ctx context.Context, token secret.String) (begun Ceremony, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		waiting, err := s.Login.Waiting(ctx, tx.Repos, token)
		if err != nil {
			return err
		}
		held, err := tx.Passkeys.Held(ctx, waiting.UserID)
		if err != nil {
			return err
		}
		if len(held) == 0 {
			return errNoPasskey
		}
		ceremony, err := s.Ceremonies.Request(signin.PasskeyRequest{
			Owner: waiting.UserID, Held: held, Verified: len(waiting.AMR) == 0,
		})
		if err != nil {
			return err
		}
		begun, err = s.open(ctx, tx.Challenges, newCeremony{
			kind: challenge.PasskeyLogin, about: waiting.UserID, ceremony: ceremony,
			content: ceremonyState{Factor: waiting.Digest, Presence: len(waiting.AMR) > 0},
		})
		return err
	})
	return begun, err
}

// Answer is the response of a browser to a login.
type Answer struct {
	Credential []byte
	// ID identifies the ceremony; it may be empty.
	ID string
	// Token is the token of the login that waits for a second factor. If it is empty, the
	// ceremony identifies that login.
	Token secret.String
	// Org is the workspace to enter, if one is named.
	Org workspace.ID
}

// SecondFactor ends a login that waits for a second factor.
func (s *Service) SecondFactor(ctx context.Context, call command.Call, token secret.String, credential []byte) (login.Outcome, error) {
	return s.Enter(ctx, call, Answer{Credential: credential, Token: token})
}

// Enter logs in by a passkey, or completes the login that the passkey is the second
// factor of. It fails with passkey.ErrMalformed, challenge.ErrGone or passkey.ErrRefused;
// the latter, and passkey.ErrChanged, are recorded as an event and in the failure counter.
func (s *Service) Enter(ctx context.Context, call command.Call, a Answer) (login.Outcome, error) {
	given, err := s.asserted(a.Credential)
	if err != nil {
		return login.Outcome{}, err
	}
	known, err := judge(ctx, s.Directory, given)
	if err != nil {
		return login.Outcome{}, err
	}
	policies, err := s.Policies.OfUser(ctx, known.owner())
	if err != nil {
		return login.Outcome{}, err
	}
	t := loginAttempt{Answer: a, given: given, known: &known, call: call, policies: policies}
	var opened login.Opened
	err = s.Unit.Do(ctx, func(tx Repos) error {
		opened, err = s.answer(ctx, tx, t)
		t.known = nil // After a lost race the passkey is read again.
		return err
	})
	if err != nil {
		return login.Outcome{}, err
	}
	return s.Login.Answer(ctx, opened)
}

// refusal returns the error to answer for a reason to refuse a passkey.
func refusal(reason string) *fault.Error {
	if reason == loginevent.ChangedPasskey {
		return passkey.ErrChanged
	}
	return passkey.ErrRefused
}

// verification is the result of verifying an answer. The signature is verified before the unit of
// work, so that no lock is held meanwhile.
type verification struct {
	// by is nil if the passkey is unknown.
	by  *passkey.Passkey
	use passkey.Use
	// right reports whether the signature verifies; changed reports whether it does, but the
	// passkey is not what it was (passkey.ErrChanged).
	right, changed bool
}

func (j verification) owner() user.ID {
	if j.by == nil {
		return ""
	}
	return j.by.Snapshot().UserID
}

// passkeyFinder finds a passkey by its credential, or fails with passkey.ErrNotFound.
type passkeyFinder interface {
	ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error)
}

func judge(ctx context.Context, among passkeyFinder, given signin.PasskeyAssertion) (verification, error) {
	p, err := among.ByCredential(ctx, given.CredentialID())
	if errors.Is(err, passkey.ErrNotFound) {
		return verification{}, nil
	}
	if err != nil {
		return verification{}, err
	}
	use, err := given.Verify(p.Snapshot())
	switch {
	case errors.Is(err, passkey.ErrRefused):
		return verification{by: p}, nil
	case errors.Is(err, passkey.ErrChanged):
		return verification{by: p, changed: true}, nil
	}
	return verification{by: p, use: use, right: err == nil}, err
}

// loginAttempt is a response with what is needed to decide about it.
type loginAttempt struct {
	Answer

	given signin.PasskeyAssertion
	// known is the result of verifying it before the unit of work.
	known    *verification
	call     command.Call
	policies policy.Set
}

// fits reports whether the ceremony and the login named by a response, if any, are
// those of the signed challenge.
func (t loginAttempt) fits(found challenge.Challenge, content ceremonyState) bool {
	return (t.ID == "" || t.ID == found.Digest) &&
		(t.Token.Empty() || challenge.Digest(t.Token.Reveal()) == content.Factor)
}

// answer ends a ceremony, whether or not its answer is accepted.
func (s *Service) answer(ctx context.Context, tx Repos, t loginAttempt) (login.Opened, error) {
	found, content, err := s.take(ctx, tx, challenge.PasskeyLogin, t.given.Challenge())
	if err != nil {
		return login.Opened{}, err
	}
	fits := t.fits(found, content)
	if fits && content.Factor != "" {
		return s.complete(ctx, tx, t, content)
	}
	proof := login.Proof{UserID: found.UserID, Failed: loginevent.WrongPasskey}
	if fits {
		if proof, err = s.prove(ctx, tx, t, content); err != nil {
			return login.Opened{}, err
		}
	}
	proof.Wanted = login.Wanted{Call: t.call, Policies: t.policies, Org: t.Org, Refused: refusal(proof.Failed)}
	return s.Login.Enter(ctx, tx.Repos, proof)
}

// prove returns what a passkey proves by itself.
func (s *Service) prove(ctx context.Context, tx Repos, t loginAttempt, content ceremonyState) (login.Proof, error) {
	used, reason, err := s.use(ctx, tx, t, content)
	if err != nil || reason != "" {
		return login.Proof{UserID: used.owner, Failed: reason}, err
	}
	return login.Proof{UserID: used.owner, AMR: used.by.AMR(used.verified), Whole: used.verified, Factor: mfa.Passkey}, nil
}

// complete completes the login that the passkey is the second factor of. A wrong passkey
// counts like a wrong code.
func (s *Service) complete(ctx context.Context, tx Repos, t loginAttempt, content ceremonyState) (login.Opened, error) {
	waiting, err := s.Login.WaitingAt(ctx, tx.Repos, content.Factor)
	if errors.Is(err, challenge.ErrGone) {
		return login.Opened{Refusal: passkey.ErrRefused}, nil
	}
	if err != nil {
		return login.Opened{}, err
	}
	used, reason, err := s.use(ctx, tx, t, content)
	if err != nil {
		return login.Opened{}, err
	}
	if reason == "" && (used.owner != waiting.UserID || !waiting.Takes(mfa.Passkey)) {
		reason = loginevent.WrongPasskey
	}
	if reason != "" {
		if err := tx.Challenges.Miss(ctx, waiting.Digest); err != nil {
			return login.Opened{}, err
		}
		return login.Opened{Refusal: refusal(reason)}, tx.Events.Record(ctx, mfa.Failed{UserID: waiting.UserID, Method: mfa.Passkey})
	}
	if err := tx.Events.Record(ctx, mfa.Succeeded{UserID: waiting.UserID, Method: mfa.Passkey}); err != nil {
		return login.Opened{}, err
	}
	return s.Login.Complete(ctx, tx.Repos, login.Answered{
		Waiting: waiting, By: used.by.AMR(used.verified || len(waiting.AMR) > 0), Method: mfa.Passkey,
		Call: t.call, Policies: t.policies, Refused: passkey.ErrRefused,
	})
}

// usedPasskey is the passkey that answered; it is zero if the passkey is unknown.
type usedPasskey struct {
	by       *passkey.Passkey
	owner    user.ID
	verified bool
}

// use records the use of the passkey, or returns the reason why its answer is refused.
func (s *Service) use(ctx context.Context, tx Repos, t loginAttempt, content ceremonyState) (usedPasskey, string, error) {
	j := t.known
	if j == nil {
		again, err := judge(ctx, tx.Passkeys, t.given)
		if err != nil {
			return usedPasskey{}, "", err
		}
		j = &again
	}
	u := usedPasskey{by: j.by, owner: j.owner(), verified: j.use.UserVerified}
	if j.changed {
		return u, loginevent.ChangedPasskey, nil
	}
	if !j.right || !content.takes(t.given, j.use) {
		return u, loginevent.WrongPasskey, nil
	}
	if asked, err := ofAddress(ctx, tx, u.owner, content.Email); err != nil || !asked {
		return u, loginevent.WrongPasskey, err
	}
	if j.by.Used(j.use, s.Clock.Now()) != nil {
		return u, loginevent.ClonedPasskey, nil
	}
	return u, "", tx.Passkeys.Save(ctx, j.by)
}

// ofAddress reports whether an account has the requested address, if one was requested.
func ofAddress(ctx context.Context, tx Repos, owner user.ID, asked email.Address) (bool, error) {
	if asked.IsZero() {
		return true, nil
	}
	u, err := tx.Users.ByID(ctx, owner)
	if err != nil {
		return false, err
	}
	return u.Snapshot().Email.Folded() == asked.Folded(), nil
}
