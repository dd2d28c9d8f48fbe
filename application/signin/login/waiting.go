package login

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
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
	// Invitation is the field of the same name in Wanted.
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

// await stores a login that waits for its second factor, or a reauthentication that does.
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

// Takes reports whether flows accept a method as the second factor.
func (w Waiting) Takes(by mfa.Method) bool { return flow.Demand{Methods: w.Only}.Takes(string(by)) }

// TakesMail reports whether a mailed code answers the challenge.
func (w Waiting) TakesMail(held *mfa.Factors) bool {
	if w.PasskeyOnly {
		return false
	}
	return w.Mailbox || (held.Has(mfa.Email) && !w.NoMail && !MailboxAlone(w.AMR))
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
	// Refused is the field of the same name in Wanted.
	Refused error
}

// Complete consumes a challenge that was answered. It runs the stages of the login, or marks the
// existing session as reauthenticated. Of two concurrent correct answers one succeeds; the other
// fails with challenge.ErrGone.
func (s *Service) Complete(ctx context.Context, tx Repos, a Answered) (Opened, error) {
	if _, err := tx.Challenges.Take(ctx, challenge.SecondFactor, a.Digest, s.Clock.Now()); err != nil {
		return Opened{}, err
	}
	if a.Session != "" {
		return s.completePresent(ctx, tx, a)
	}
	a.Call.Revision = a.Revision
	return s.enter(ctx, tx, &entry{
		Proof: Proof{
			Wanted: Wanted{Call: a.Call, Policies: a.Policies, Org: a.Org, Invitation: a.Invitation, Refused: a.Refused},
			UserID: a.UserID, AMR: Joined(a.AMR, a.By...), Whole: true, Factor: a.Method, Arrival: a.Arrival,
		},
		waiting: &a.Waiting, trigger: flow.MFAVerify, asked: a.Asked,
	})
}
