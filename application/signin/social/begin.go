package social

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound/signin"
)

// verifierSize is how many random bytes the secret of PKCE has (RFC 7636 section 4.1).
const verifierSize = 32

// Start is a request to begin a login, or to link an upstream account.
type Start struct {
	Provider    domainsocial.Provider
	RedirectURI redirect.URI
	// Link reports whether the upstream account is to be linked to the caller's.
	Link bool
	// Invitation is the token of the invitation that the person accepts, if any.
	Invitation secret.String
}

// errGuest is returned for an attempt to link by an invitation.
var errGuest = fault.Unfit("/invitation_token", "is not allowed when linking an account")

// Redirect is where to send the browser.
type Redirect struct {
	URL       secret.Shown
	State     secret.Shown
	ExpiresIn time.Duration
}

// Begin stores the state of a login and returns the provider's address to send the browser
// to. It fails with domainsocial.ErrOff, or with a validation fault if the address to return to
// is not registered. To link an account, the caller needs a session.
func (s *Service) Begin(ctx context.Context, call command.Call, p Start) (Redirect, error) {
	begun := ceremony{Provider: p.Provider, RedirectURI: p.RedirectURI, Verifier: s.verifier()}
	if call.Browser != "" {
		begun.Browser = challenge.Digest(call.Browser)
	}
	if p.Link {
		if err := access.User().InPerson().Check(call.Caller); err != nil {
			return Redirect{}, err
		}
		begun.Session, begun.User = call.Caller.Session, call.Caller.User
	}
	client, err := s.Providers.client(ctx, p.Provider)
	if err != nil {
		return Redirect{}, err
	}
	if err := s.invited(ctx, p, &begun); err != nil {
		return Redirect{}, err
	}
	if err := s.mayReturn(ctx, p, begun); err != nil {
		return Redirect{}, err
	}
	var state secret.Shown
	err = s.Unit.Do(ctx, func(tx Repos) error {
		state, err = s.keep(ctx, tx, challenge.SocialState, begun, stateLife)
		return err
	})
	if err != nil {
		return Redirect{}, err
	}
	address, err := s.Upstream.AuthorizationURL(client, signin.UpstreamAuthParams{
		State: string(state), Verifier: begun.Verifier, RedirectURI: s.callback(p.Provider),
	})
	return Redirect{URL: secret.Shown(address), State: state, ExpiresIn: stateLife}, err
}

// invited checks the invitation that a login begins with.
func (s *Service) invited(ctx context.Context, p Start, begun *ceremony) error {
	switch {
	case p.Invitation.Empty():
		return nil
	case p.Link:
		return errGuest
	}
	begun.Invitation = invitations.Digest(p.Invitation)
	_, err := s.Inviting.Check(ctx, begun.Invitation)
	return err
}

func (s *Service) verifier() string {
	return base64.RawURLEncoding.EncodeToString(s.Login.Random.Bytes(verifierSize))
}

// errBrowser is returned for a login that ends at a page of this service but is bound to no browser.
var errBrowser = fault.Unfit("/redirect_uri", "is a page of this service: start in a browser at /api/auth/social/<provider>")

// mayReturn allows pages of this service and registered addresses to return to. A login that
// ends at a page of this service must be bound to the browser that began it, because the
// page logs in whoever opens it: an attacker could log others into an account of their own.
func (s *Service) mayReturn(ctx context.Context, p Start, begun ceremony) error {
	switch {
	case s.owns(p.RedirectURI) && begun.Browser == "" && !p.Link:
		return errBrowser
	case s.owns(p.RedirectURI), string(p.RedirectURI) == s.callback(p.Provider):
		return nil
	}
	return s.Redirects.Check(ctx, "/redirect_uri", p.RedirectURI)
}

// owns reports whether an address is a page of this service, with any query.
func (s *Service) owns(address redirect.URI) bool {
	page, _, _ := strings.Cut(string(address), "?")
	return slices.Contains(s.Pages, page)
}
