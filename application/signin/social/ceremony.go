package social

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

const (
	// stateLife is how long a person may stay at the provider (contract section 6).
	stateLife = 10 * time.Minute
	// codeLife is how long the one-time code is valid: no longer than the provider's code.
	codeLife = 2 * time.Minute
)

// ceremony is the content of the challenges of a login or link that was begun at a provider.
type ceremony struct {
	Provider    domainsocial.Provider `json:"provider"`
	RedirectURI redirect.URI          `json:"redirect_uri"`
	// Verifier is the secret of PKCE.
	Verifier string `json:"verifier"`
	// Browser is the digest of the browser-binding value; empty for API callers.
	Browser string `json:"browser,omitzero"`
	// Session is the session of the person who links an account; empty for a login.
	Session session.ID `json:"session,omitzero"`
	User    user.ID    `json:"user,omitzero"`
	// Invitation is the digest of the token of the invitation that it was begun with.
	Invitation string `json:"invitation,omitzero"`
	// Code is the provider's, Target the address that it was sent to, and State the
	// digest of the state that it came with, once the browser has landed.
	Code   string `json:"code,omitzero"`
	Target string `json:"target,omitzero"`
	State  string `json:"state,omitzero"`
}

func (c ceremony) of(b challenge.Challenge) (ceremony, error) {
	if err := strictjson.Decode(b.Content, &c); err != nil {
		return ceremony{}, fmt.Errorf("decode a social login: %w", err)
	}
	return c, nil
}

// keep stores a ceremony as a challenge of a kind, and returns its handle.
func (s *Service) keep(ctx context.Context, tx Repos, kind challenge.Kind, c ceremony, life time.Duration) (secret.Shown, error) {
	content, err := strictjson.Encode(c)
	if err != nil {
		return "", fmt.Errorf("encode a social login: %w", err)
	}
	handle, digest := challenge.NewHandle(s.Login.Random)
	now := s.Login.Clock.Now()
	return handle, tx.Challenges.Open(ctx, challenge.Challenge{
		Digest: digest, Kind: kind, UserID: c.User, Content: content, CreatedAt: now, ExpiresAt: now.Add(life),
	})
}

// Return is what a person brings back from a provider.
type Return struct {
	Provider    domainsocial.Provider
	RedirectURI redirect.URI
	// Code is the one-time code of this service, or that of the provider together with State.
	Code  secret.String
	State secret.String
	// Org is the workspace to enter, if one is named.
	Org workspace.ID
}

// redeem consumes the ceremony of a one-time code or, failing that, of a state. If the
// ceremony does not match the request, it stays consumed and redeem fails with
// challenge.ErrGone.
func (s *Service) redeem(ctx context.Context, call command.Call, r Return) (ceremony, error) {
	var begun ceremony
	err := s.Unit.Do(ctx, func(tx Repos) error {
		now := s.Login.Clock.Now()
		found, err := tx.Challenges.Take(ctx, challenge.SocialCode, challenge.Digest(r.Code.Reveal()), now)
		landed := err == nil
		if errors.Is(err, challenge.ErrGone) && !r.State.Empty() {
			found, err = tx.Challenges.Take(ctx, challenge.SocialState, challenge.Digest(r.State.Reveal()), now)
		}
		if err != nil {
			return err
		}
		if begun, err = (ceremony{}).of(found); err == nil && !landed {
			begun.Code, begun.Target, begun.State = r.Code.Reveal(), string(begun.RedirectURI), found.Digest
		}
		return err
	})
	switch {
	case err != nil:
		return ceremony{}, err
	case begun.Provider != r.Provider, begun.RedirectURI != r.RedirectURI,
		begun.Session != call.Caller.Session,
		s.owns(begun.RedirectURI) && !begun.heldBy(call.Browser),
		!r.State.Empty() && begun.State != challenge.Digest(r.State.Reveal()):
		return ceremony{}, challenge.ErrGone
	}
	return begun, nil
}

// heldBy reports whether a browser is the one that began the ceremony. A ceremony of an API
// caller is bound to no browser: whoever has its state may complete it.
func (c ceremony) heldBy(browser string) bool {
	return c.Browser == "" || (browser != "" && subtle.ConstantTimeCompare([]byte(c.Browser), []byte(challenge.Digest(browser))) == 1)
}
