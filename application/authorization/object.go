package authorization

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/ports/outbound"
)

// objectType is the typ of request objects (RFC 9101 section 10.8); one without is taken, too.
const objectType = "oauth-authz-req+jwt"

// longestObject is the maximum length of a request object.
const longestObject = 16 << 10

// objectClaims are the content of a request object (RFC 9101 section 4). Numbers and claims are
// JSON there, not strings.
type objectClaims struct {
	Issuer     string         `json:"iss"`
	Subject    string         `json:"sub"`
	Audience   jsontext.Value `json:"aud"`
	Expiry     float64        `json:"exp"`
	NotBefore  float64        `json:"nbf"`
	IssuedAt   float64        `json:"iat"`
	Request    jsontext.Value `json:"request"`
	RequestURI jsontext.Value `json:"request_uri"`

	ClientID     string         `json:"client_id"`
	ResponseType string         `json:"response_type"`
	ResponseMode string         `json:"response_mode"`
	RedirectURI  string         `json:"redirect_uri"`
	Scope        string         `json:"scope"`
	State        string         `json:"state"`
	Nonce        string         `json:"nonce"`
	Challenge    string         `json:"code_challenge"`
	Method       string         `json:"code_challenge_method"`
	Resource     string         `json:"resource"`
	Prompt       string         `json:"prompt"`
	MaxAge       *int           `json:"max_age"`
	LoginHint    string         `json:"login_hint"`
	IDTokenHint  string         `json:"id_token_hint"`
	ACRValues    string         `json:"acr_values"`
	Claims       jsontext.Value `json:"claims"`
	JKT          string         `json:"dpop_jkt"`
}

// request returns the authorization request. Parameters outside of the object are ignored (RFC
// 9101 section 6.3).
func (c *objectClaims) request() oauth.Request {
	return oauth.Request{
		ClientID: c.ClientID, ResponseType: c.ResponseType, ResponseMode: c.ResponseMode, RedirectURI: c.RedirectURI, Scope: c.Scope, State: c.State,
		Nonce: c.Nonce, Challenge: c.Challenge, Method: c.Method, Resource: c.Resource, Prompt: c.Prompt, MaxAge: c.MaxAge, LoginHint: c.LoginHint,
		IDTokenHint: c.IDTokenHint, ACRValues: c.ACRValues, Claims: string(c.Claims), JKT: c.JKT,
	}
}

// objection returns why an object of a client is refused; "" where it is not. A client assertion
// has the same issuer, audience and key, but its sub is the client.
func (c *objectClaims) objection(clientID, issuer string, now time.Time) string {
	seconds := float64(now.UnixMicro()) / 1e6
	ahead := seconds + client.Skew.Seconds()
	switch {
	case c.ClientID != clientID:
		return "client_id in the request object differs from the client_id parameter"
	case c.Issuer != clientID:
		return "iss of the request object must be the client_id"
	case !client.Names(c.Audience, issuer):
		return "aud of the request object must be " + issuer
	case c.Subject == clientID:
		return "sub of the request object must not be the client_id"
	case c.Request != nil, c.RequestURI != nil:
		return "the request object must not contain request or request_uri"
	case c.Expiry == 0:
		return "exp of the request object is missing"
	case seconds >= c.Expiry:
		return "the request object has expired"
	case c.NotBefore > ahead, c.IssuedAt > ahead:
		return "the request object is not valid yet: nbf or iat is in the future"
	}
	return ""
}

// unwrap replaces a request that has a signed object by the one in it, where the client has keys.
// The refusal of a bad object is kept, since it goes to the client once the redirect URI is
// proved.
func (s *Service) unwrap(ctx context.Context, w *pendingRequest) error {
	if w.Object == "" {
		return nil
	}
	by, err := s.Apps.BySlug(ctx, w.ClientID, "")
	switch {
	case errors.Is(err, app.ErrNotFound):
		return errClient
	case err != nil:
		return fmt.Errorf("look the client up: %w", err)
	case !by.App.HasKeys(), oauth.Unsigned(w.Object):
		return nil // which is not supported
	}
	inside, wrong := s.objectOf(ctx, by, w.Request)
	if wrong != "" {
		w.Unread = &oauth.Refusal{Code: oauth.InvalidRequestObject, Reason: wrong}
		return nil
	}
	inside.Pushed = w.Pushed
	w.Request = inside
	return nil
}

// objectOf returns the request in a client's request object, or an error.
func (s *Service) objectOf(ctx context.Context, by outbound.Client, sent oauth.Request) (inside oauth.Request, wrong string) {
	if len(sent.Object) > longestObject {
		return oauth.Request{}, "the request object must be at most 16,384 characters long"
	}
	payload, ok := s.Clients.Signed(ctx, sent.Object, objectType, by.App)
	if !ok {
		return oauth.Request{}, "the request object is not signed with a key of the client, or its header is invalid"
	}
	var claims objectClaims
	if err := strictjson.DecodeKnown(payload, &claims); err != nil {
		return oauth.Request{}, "the payload of the request object must be a JSON object of request parameters"
	}
	return claims.request(), claims.objection(by.App.Slug, s.Access.Issuer, s.Clock.Now())
}
