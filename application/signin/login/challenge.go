package login

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// challengeLife is how long a login waits for its second factor (contract section 5).
const challengeLife = 5 * time.Minute

// Waiting is a login that waits for a second factor.
type Waiting struct {
	UserID user.ID      `json:"-"`
	Org    workspace.ID `json:"org"`
	// AMR holds the authentication methods proved before the second factor.
	AMR []string `json:"amr"`
	// Session is the session that is being reauthenticated; empty for a login, which creates a
	// new session.
	Session session.ID `json:"session,omitzero"`
	// Switch reports whether the session moves to Org once the factor was given.
	Switch bool `json:"switch,omitzero"`
	// Mailbox reports whether a mailed code is accepted although that factor is not enrolled.
	Mailbox bool `json:"mailbox,omitzero"`
	// PasskeyOnly reports whether only a passkey is accepted, because a code would replace the
	// password rather than add to it.
	PasskeyOnly bool `json:"passkey_only,omitzero"`
	// NoMail reports whether a mailed code is refused although that factor is enrolled,
	// because the first factor was proved by the same mailbox (mfa.Factors.DistrustMail).
	NoMail bool `json:"no_mail,omitzero"`
	// Arrival is the upstream account of a social login.
	Arrival *Arrival `json:"arrival,omitzero"`
	// Invitation is the field of the same name in Proof.
	Invitation string `json:"invitation,omitzero"`
	// Asked is what flows demanded, Only the methods that they accept; nil means all methods.
	Asked flow.Demand `json:"asked,omitzero"`
	Only  []string    `json:"only,omitzero"`
	// Revision is the revision of the instance at which the sign-in rules of the workspace were
	// met, but for the second factor.
	Revision int64 `json:"revision,omitzero"`
	// Assessment is the stored risk assessment; empty if the risk was low.
	Assessment risk.ID `json:"assessment,omitzero"`
	// Armed is the keyed hash of the mailed code, which is valid until CodeExpiresAt.
	Armed         string    `json:"-"`
	CodeExpiresAt time.Time `json:"-"`
	// ExpiresAt is when the challenge expires.
	ExpiresAt time.Time `json:"-"`
	// Digest is the digest of the challenge token.
	Digest string `json:"-"`
}

// askFactor opens a challenge for a second factor. It stores the account as open does: whatever ends
// waiting logins stores the account first, so a concurrent login cannot begin to wait unnoticed.
func (s *Service) askFactor(ctx context.Context, tx Repos, who signin.Entrant, p Proof, own ownFactors) (Opened, error) {
	if err := tx.Users.Save(ctx, who.User); err != nil {
		return Opened{}, err
	}
	return s.challenge(ctx, tx, p, own)
}

// challenge stores a login that waits for its second factor.
func (s *Service) challenge(ctx context.Context, tx Repos, p Proof, own ownFactors) (Opened, error) {
	if err := s.keep(ctx, tx, p, ""); err != nil {
		return Opened{}, err
	}
	return s.await(ctx, tx, Waiting{
		UserID: p.UserID, Org: p.Org, AMR: p.AMR, NoMail: own.noMail, Arrival: p.Arrival, Invitation: p.Invitation,
		Asked: p.Asked, Only: own.only, Assessment: p.assessment(), Revision: p.Call.Revision,
	}, own.methods)
}

func (s *Service) await(ctx context.Context, tx Repos, w Waiting, methods []mfa.Method) (Opened, error) {
	content, err := strictjson.Encode(w)
	if err != nil {
		return Opened{}, fmt.Errorf("encode a challenge: %w", err)
	}
	handle, digest := challenge.NewHandle(s.Random)
	now := s.Clock.Now()
	err = tx.Challenges.Open(ctx, challenge.Challenge{
		Digest: digest, Kind: challenge.SecondFactor, UserID: w.UserID, Content: content,
		CreatedAt: now, ExpiresAt: now.Add(challengeLife),
	})
	if err != nil {
		return Opened{}, err
	}
	return Opened{Challenge: handle, Methods: methods}, tx.Events.Record(ctx, mfa.Challenged{UserID: w.UserID, Methods: methods})
}

// Waiting returns the login that waits for a second factor under a challenge token. It fails
// with challenge.ErrGone.
func (s *Service) Waiting(ctx context.Context, tx Repos, token secret.String) (Waiting, error) {
	return s.WaitingAt(ctx, tx, challenge.Digest(token.Reveal()))
}

// WaitingAt is Waiting by the digest of the token.
func (s *Service) WaitingAt(ctx context.Context, tx Repos, digest string) (Waiting, error) {
	found, err := tx.Challenges.Look(ctx, challenge.SecondFactor, digest, s.Clock.Now())
	if err != nil {
		return Waiting{}, err
	}
	w := Waiting{UserID: found.UserID, Digest: found.Digest, Armed: found.Code, CodeExpiresAt: found.CodeExpiresAt, ExpiresAt: found.ExpiresAt}
	if err := strictjson.Decode(found.Content, &w); err != nil {
		return Waiting{}, fmt.Errorf("decode a challenge: %w", err)
	}
	return w, nil
}

// Answered is a challenge whose second factor has been verified.
type Answered struct {
	Waiting

	// By holds the authentication methods of the second factor (RFC 8176), Method is the
	// factor itself.
	By       []string
	Method   mfa.Method
	Call     command.Call
	Policies policy.Set
}

// ended is the reason for refusing a challenge whose session has ended meanwhile.
const ended = "session_ended"

// Complete consumes a challenge that was answered. It creates the session, or marks the
// existing one as reauthenticated. Of two concurrent correct answers one succeeds; the other
// fails with challenge.ErrGone. The returned reason is why the answer was refused, or "".
func (s *Service) Complete(ctx context.Context, tx Repos, w Answered) (Opened, string, error) {
	if _, err := tx.Challenges.Take(ctx, challenge.SecondFactor, w.Digest, s.Clock.Now()); err != nil {
		return Opened{}, "", err
	}
	if w.Session != "" {
		refusal, err := s.decidePresent(ctx, tx, &w)
		if err != nil || refusal != nil {
			return Opened{Refusal: refusal}, loginevent.FlowBlocked, err
		}
		opened, err := s.present(ctx, tx, w.Waiting, w.By)
		if errors.Is(err, session.ErrEnded) || errors.Is(err, session.ErrNotFound) {
			return Opened{}, ended, nil
		}
		return opened, "", err
	}
	if reason, err := s.passwordLocked(ctx, tx, w.Waiting); err != nil || reason != "" {
		return Opened{}, reason, err
	}
	before, err := s.resumed(ctx, tx, w)
	if err != nil {
		return Opened{}, "", err
	}
	w.Call.Revision = w.Revision
	return s.Enter(ctx, tx, Proof{
		UserID: w.UserID, Org: w.Org, AMR: Joined(w.AMR, w.By...), Whole: true, Arrival: w.Arrival, Invitation: w.Invitation,
		Asked: w.Asked, By: w.Method, Trigger: flow.MFAVerify, Call: w.Call, Policies: w.Policies, risk: before,
	})
}

// passwordLocked refuses to complete a password login once failed attempts have locked the
// account. It returns the reason, or "".
func (s *Service) passwordLocked(ctx context.Context, tx Repos, w Waiting) (string, error) {
	if !slices.Contains(w.AMR, ByPassword) {
		return "", nil
	}
	held, err := tx.Credentials.ByUser(ctx, w.UserID)
	if err != nil || !held.Locked(s.Clock.Now()) {
		return "", err
	}
	return loginevent.AccountLocked, s.Refuse(ctx, tx, w.UserID, loginevent.AccountLocked)
}

// Reauthenticate marks a session as reauthenticated. If the account has a second factor,
// passkeys included, that factor is demanded first; a remembered device does not replace it.
func (s *Service) Reauthenticate(ctx context.Context, tx Repos, p Proof, of session.ID) (Opened, error) {
	who, err := tx.Entrants.Entrant(ctx, p.entering())
	if err != nil {
		return Opened{}, err
	}
	now := s.Clock.Now()
	if methods := offered(who.Factors, who.Passkey, p.AMR, now); len(methods) > 0 {
		noMail := distrusted(who.Factors, who.Passkey, now)
		return s.await(ctx, tx, Waiting{UserID: p.UserID, Org: p.Org, AMR: p.AMR, Session: of, NoMail: noMail}, methods)
	}
	return s.present(ctx, tx, Waiting{UserID: p.UserID, AMR: p.AMR, Session: of}, nil)
}

// present records a reauthentication in a session and rotates its refresh token. If nothing
// was proved before the second factor, its methods are added to those of the session. It fails
// with session.ErrRules if the session does not meet the sign-in rules of its workspace.
func (s *Service) present(ctx context.Context, tx Repos, w Waiting, by []string) (Opened, error) {
	held, err := tx.Sessions.ByID(ctx, w.Session)
	if err != nil {
		return Opened{}, err
	}
	before := held.Snapshot()
	if len(w.AMR) == 0 {
		w.AMR = before.AMR
	}
	now := s.Clock.Now()
	refresh, digest := s.Refresh.Make(w.Session)
	if err := held.Reauthenticate(digest, Joined(w.AMR, by...), now); err != nil {
		return Opened{}, err
	}
	if !w.Switch {
		w.Org = before.OrgID
	}
	who, err := tx.Entrants.Entrant(ctx, Proof{UserID: w.UserID, Org: w.Org}.entering())
	switch {
	case err != nil:
		return Opened{}, err
	case who.Member == nil:
		return Opened{}, workspace.ErrNotFound
	case w.Switch:
		err = s.enterPresent(ctx, tx, who, held, w)
	case !before.Meets(w.Org, who.Entry.Rules):
		err = session.ErrRules
	}
	if err != nil {
		return Opened{}, err
	}
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return Opened{}, err
	}
	return Opened{User: who.User.Snapshot(), Session: held.Snapshot(), Held: who.Held, Refresh: refresh}, nil
}

// enterPresent switches a session whose person gave the second factor that was missing.
func (s *Service) enterPresent(ctx context.Context, tx Repos, who signin.Entrant, held *session.Session, w Waiting) error {
	if err := admit(who, held.Snapshot().AMR); err != nil {
		return err
	}
	held.Enter(w.Org)
	bind(held, w.Asked, s.Clock.Now())
	meet(held, who, w.Revision)
	return remember(ctx, tx, who)
}
