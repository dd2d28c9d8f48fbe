package authorization

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
)

// Errors of a logout that are shown on this service, because the redirect address is
// not verified.
var (
	errHint  = fault.New(fault.Validation, "invalid_request: id_token_hint must be an ID token that this service issued to the client in client_id")
	errLeave = fault.New(fault.Validation, "invalid_request: post_logout_redirect_uri must exactly match one of the client's logout_urls")
)

// Logout is one that a client began (OpenID Connect RP-Initiated Logout 1.0 section 2).
type Logout struct {
	// Hint is an ID token of the client, also one that has expired; empty for none.
	Hint     secret.String
	ClientID string
	// RedirectURI is where the person goes afterwards, with State; empty for nowhere.
	RedirectURI, State string
}

// ValidatedLogout is a logout that was checked.
type ValidatedLogout struct {
	// RedirectTo is where the person goes afterwards; empty for nowhere.
	RedirectTo string
	// Subject is the subject of the hint; empty without one.
	Subject string
	// Session is the one that the hint names, as it is by that alone; empty without one.
	Session session.ID
	// Client is the client that started the logout; nil if unknown.
	Client *app.Snapshot
}

// Leave checks a logout that a client began. It fails where that is not proved to be the
// client, or does not know the address it names. Without a client the person stays here.
func (s *Service) Leave(ctx context.Context, sent Logout) (ValidatedLogout, error) {
	clientID, left := sent.ClientID, ValidatedLogout{}
	if !sent.Hint.Empty() {
		hint, err := s.hinted(sent.Hint)
		if err != nil || clientID != "" && clientID != hint.Audience {
			return ValidatedLogout{}, errHint
		}
		clientID, left.Subject, left.Session = hint.Audience, hint.Subject, hint.Session
	}
	if clientID == "" {
		return left, nil
	}
	found, err := s.Apps.BySlug(ctx, clientID, "")
	switch {
	case errors.Is(err, app.ErrNotFound), err == nil && !s.leads(found):
		return ValidatedLogout{}, errClient
	case err != nil:
		return ValidatedLogout{}, fmt.Errorf("look the client up: %w", err)
	}
	left.Client = &found.App
	if sent.RedirectURI == "" {
		return left, nil
	}
	if !slices.Contains(found.App.LogoutURLs, sent.RedirectURI) {
		return ValidatedLogout{}, errLeave
	}
	left.RedirectTo = oauth.Returning(sent.RedirectURI, sent.State)
	return left, nil
}

// Names reports whether the hint of a logout identifies a person.
func (s *Service) Names(left ValidatedLogout, person user.ID) bool {
	return left.Client != nil && left.Subject != "" && left.Subject == s.subjectOf(*left.Client, person)
}

// leads reports whether a client may act at all.
func (s *Service) leads(of outbound.Client) bool {
	return of.Failing(s.Clock.Now()) == 0
}

// hint are the claims of an ID token used as a logout hint.
type hint struct {
	Issuer   string     `json:"iss"`
	Subject  string     `json:"sub"`
	Audience string     `json:"aud"`
	Session  session.ID `json:"sid"`
}

// hinted reads an ID token of this service, which may have expired.
func (s *Service) hinted(text secret.String) (hint, error) {
	keys, now := s.Instance.State().Keys, s.Clock.Now()
	verified, err := s.Access.JOSE.Verify(text.Reveal(), idType, func(kid string) (crypt.SigningKey, bool) { return keys.Accepted(kid, now) })
	if err != nil {
		return hint{}, fmt.Errorf("verify a hint: %w", err)
	}
	var read hint
	if err := json.Unmarshal(verified.Payload, &read); err != nil {
		return hint{}, fmt.Errorf("read a hint: %w", err)
	}
	if read.Issuer != s.Access.Issuer || read.Audience == "" {
		return hint{}, errHint
	}
	return read, nil
}
