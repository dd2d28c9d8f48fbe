package passwordless

import (
	"context"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// Errors of sign-ins that a session allows.
var (
	ErrNoSession = fault.New(fault.Auth, "the method session requires a session: sign in first")
	ErrNotOwn    = fault.Unfit("/email", "must be your own email address for the method session")
)

// tokenLife is how long the token of an allowed sign-in is valid; people may copy it.
const tokenLife = 5 * time.Minute

// allowance is the content of a challenge of the kind Terminal.
type allowance struct {
	// Session is the session that allowed the sign-in, Challenge that of PKCE.
	Session   session.ID `json:"session"`
	Challenge string     `json:"challenge"`
}

// allow lets a program sign in as the caller, if it has the verifier of the challenge. It
// fails with ErrNoSession or ErrNotOwn.
func (s *Service) allow(ctx context.Context, caller access.Caller, p Start) (PendingLogin, error) {
	if p.RedirectURI != "" {
		return PendingLogin{}, ErrRedirect
	}
	if caller.Kind != access.Person {
		return PendingLogin{}, ErrNoSession
	}
	content, err := jsonv2.Marshal(allowance{caller.Session, p.Challenge})
	if err != nil {
		return PendingLogin{}, fmt.Errorf("encode an allowed sign-in: %w", err)
	}
	handle, digest := challenge.NewHandle(s.Random)
	err = s.Unit.Do(ctx, func(tx Repos) error {
		u, err := tx.Users.ByID(ctx, caller.User)
		if err != nil {
			return err
		}
		if u.Snapshot().Email.Folded() != p.Email.Folded() {
			return ErrNotOwn
		}
		now := s.Clock.Now()
		err = tx.Challenges.Open(ctx, challenge.Challenge{
			Digest: digest, Kind: challenge.Terminal, UserID: caller.User, Content: content, CreatedAt: now, ExpiresAt: now.Add(tokenLife),
		})
		if err != nil {
			return err
		}
		return tx.Events.Record(ctx, loginevent.CodeRequested{Method: string(p.Method)})
	})
	return PendingLogin{Challenge: handle, Life: tokenLife}, err
}

// BySession signs a program in by the token of a sign-in that a session has allowed. A wrong
// verifier uses the token up. It fails with challenge.ErrGone.
func (s *Service) BySession(ctx context.Context, call command.Call, token, verifier secret.String, to workspace.ID) (login.Outcome, error) {
	digest := challenge.Digest(token.Reveal())
	waiting, err := s.Links.Find(ctx, digest, s.Clock.Now(), challenge.Terminal)
	if err != nil {
		return login.Outcome{}, err
	}
	return s.enter(ctx, call, answered{kind: waiting.Kind, digest: digest, user: waiting.UserID, org: to, verifier: verifier})
}

// vouched completes the proof of an allowed sign-in: what the session that allowed it proved,
// while it lasts. The proof fails with a wrong verifier.
func (s *Service) vouched(ctx context.Context, tx Repos, used challenge.Challenge, verifier secret.String, p *login.Proof) error {
	var given allowance
	if err := strictjson.Decode(used.Content, &given); err != nil {
		return fmt.Errorf("decode an allowed sign-in: %w", err)
	}
	if !oauth.Verifies(given.Challenge, verifier.Reveal()) {
		p.Failed = loginevent.WrongCode
		return nil
	}
	by, err := tx.Sessions.ByID(ctx, given.Session)
	if errors.Is(err, session.ErrNotFound) {
		return challenge.ErrGone
	}
	if err != nil {
		return err
	}
	held := by.Snapshot()
	if held.UserID != used.UserID || !held.Active(s.Clock.Now()) {
		return challenge.ErrGone
	}
	p.AMR, p.AuthTime, p.Whole = held.AMR, held.AuthTime, held.HasFactors()
	return nil
}
