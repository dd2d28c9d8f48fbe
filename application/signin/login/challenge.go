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
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// challengeLife is how long a second factor is waited for (contract section 5).
const challengeLife = 5 * time.Minute

// Waiting is a login that waits for a second factor.
type Waiting struct {
	UserID user.ID      `json:"-"`
	Org    workspace.ID `json:"org"`
	// AMR is what was proved before.
	AMR []string `json:"amr"`
	// Session is the one whose person proves presence again; empty: a new one begins.
	Session session.ID `json:"session,omitzero"`
	// Switch reports whether that session goes on in Org.
	Switch bool `json:"switch,omitzero"`
	// Mailbox reports whether a mailed code answers, though none is enrolled.
	Mailbox bool `json:"mailbox,omitzero"`
	// PasskeyOnly reports whether no code answers: it would stand in for the password.
	PasskeyOnly bool `json:"passkey_only,omitzero"`
	// NoMail reports whether a mailed code does not answer, although it is enrolled: the
	// mailbox gave the first factor too (mfa.Factors.DistrustMail).
	NoMail bool `json:"no_mail,omitzero"`
	// Arrival is what the provider told of somebody who came from one.
	Arrival *Arrival `json:"arrival,omitzero"`
	// Invitation is that of the Proof.
	Invitation string `json:"invitation,omitzero"`
	// Asked is what flows asked for, Only the methods that they take; nil: all.
	Asked flow.Demand `json:"asked,omitzero"`
	Only  []string    `json:"only,omitzero"`
	// Assessment is what is kept of the risk; empty: it is low.
	Assessment risk.ID `json:"assessment,omitzero"`
	// Armed is the keyed hash of the mailed code, and CodeExpiresAt its end.
	Armed         string    `json:"-"`
	CodeExpiresAt time.Time `json:"-"`
	// ExpiresAt is the end of the challenge.
	ExpiresAt time.Time `json:"-"`
	// Digest finds the challenge.
	Digest string `json:"-"`
}

// challenge begins to wait for a second factor.
func (s *Service) challenge(ctx context.Context, tx Repos, p Proof, own ownFactors) (Opened, error) {
	if err := s.keep(ctx, tx, p, ""); err != nil {
		return Opened{}, err
	}
	return s.await(ctx, tx, Waiting{
		UserID: p.UserID, Org: p.Org, AMR: p.AMR, NoMail: own.noMail, Arrival: p.Arrival, Invitation: p.Invitation,
		Asked: p.Asked, Only: own.only, Assessment: p.assessment(),
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

// Waiting finds a login that waits for a second factor, by the token that the
// client was given. It fails with challenge.ErrGone.
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

// Answered is a challenge that a second factor answered.
type Answered struct {
	Waiting

	// By is how the second factor was given (RFC 8176), Method what it was.
	By       []string
	Method   mfa.Method
	Call     command.Call
	Policies policy.Set
}

// ended is why a challenge of a session that ended meanwhile opens nothing.
const ended = "session_ended"

// Complete ends a challenge that was answered: a session begins, or the person has
// proved presence again in theirs. Of two right answers at once, one succeeds; the
// other fails with challenge.ErrGone. Why an answer opens nothing is told, or "".
func (s *Service) Complete(ctx context.Context, tx Repos, w Answered) (Opened, string, error) {
	if _, err := tx.Challenges.Take(ctx, challenge.SecondFactor, w.Digest, s.Clock.Now()); err != nil {
		return Opened{}, "", err
	}
	if w.Session != "" {
		refusal, err := s.decidePresent(ctx, tx, &w)
		if err != nil || refusal != nil {
			return Opened{Refusal: refusal}, login.FlowBlocked, err
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
	return s.Enter(ctx, tx, Proof{
		UserID: w.UserID, Org: w.Org, AMR: Joined(w.AMR, w.By...), Whole: true, Arrival: w.Arrival, Invitation: w.Invitation,
		Asked: w.Asked, By: w.Method, Trigger: flow.MFAVerify, Call: w.Call, Policies: w.Policies, risk: before,
	})
}

// passwordLocked refuses a login that began by a password, while guessing has
// locked the account meanwhile. It tells why, or "".
func (s *Service) passwordLocked(ctx context.Context, tx Repos, w Waiting) (string, error) {
	if !slices.Contains(w.AMR, ByPassword) {
		return "", nil
	}
	held, err := tx.Credentials.ByUser(ctx, w.UserID)
	if err != nil || !held.Locked(s.Clock.Now()) {
		return "", err
	}
	return login.AccountLocked, s.Refuse(ctx, tx, w.UserID, login.AccountLocked)
}

// Reauthenticate notes that the person of a session proved presence again, once a
// second factor is given where the account has one: a passkey is one, and a remembered
// device stands in for none.
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

// present records a proof of presence in a session and replaces its refresh token. Where
// nothing was proved before the answer, it adds to what the session was proved by.
func (s *Service) present(ctx context.Context, tx Repos, w Waiting, by []string) (Opened, error) {
	held, err := tx.Sessions.ByID(ctx, w.Session)
	if err != nil {
		return Opened{}, err
	}
	if len(w.AMR) == 0 {
		w.AMR = held.Snapshot().AMR
	}
	now := s.Clock.Now()
	refresh, digest := s.Refresh.Make(w.Session)
	if err := held.Reauthenticate(digest, Joined(w.AMR, by...), now); err != nil {
		return Opened{}, err
	}
	if w.Switch {
		who, err := s.enterable(ctx, tx, Proof{UserID: w.UserID, Org: w.Org, AMR: held.Snapshot().AMR})
		if err != nil {
			return Opened{}, err
		}
		held.Enter(w.Org)
		bind(held, w.Asked, now)
		if err := remember(ctx, tx, who); err != nil {
			return Opened{}, err
		}
	}
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return Opened{}, err
	}
	u, err := tx.Users.ByID(ctx, w.UserID)
	if err != nil {
		return Opened{}, err
	}
	member, err := tx.Books.Holding(ctx, held.Snapshot().OrgID, w.UserID)
	if err != nil {
		return Opened{}, err
	}
	return Opened{User: u.Snapshot(), Session: held.Snapshot(), Held: member.Holding, Refresh: refresh}, nil
}
