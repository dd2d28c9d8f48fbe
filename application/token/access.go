// Package token issues and verifies tokens of logins: access tokens, which are signed
// and short-lived, and refresh tokens, which are opaque and rotated (contract section
// 3).
package token

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
)

// actionsAudience, appended to the issuer, is the audience of tokens for people with
// required actions. Resource servers must not accept such a token as a login, so its
// audience is this service only.
const actionsAudience = "/required-actions"

// accessType is the typ of access tokens (RFC 9068 section 2.1).
const accessType = "at+jwt"

// Errors of access tokens.
var (
	ErrExpired = fault.New(fault.TokenExpired, "the access token has expired: call AUTH.REFRESH, or M2M.TOKEN as an app")
	ErrMoved   = fault.New(fault.TokenExpired, "the session has switched to another workspace: call AUTH.REFRESH")
	ErrInvalid = fault.New(fault.TokenInvalid, "the access token is invalid")
)

// Claims are the content of an access token (specification section 2.12, RFC 9068).
type Claims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Audience string   `json:"aud"`
	Expiry   int64    `json:"exp"`
	IssuedAt int64    `json:"iat"`
	ID       string   `json:"jti"`
	Session  string   `json:"sid"`
	Client   string   `json:"client_id"`
	Email    string   `json:"email"`
	Verified bool     `json:"email_verified"`
	OrgID    string   `json:"org_id"`
	Roles    []string `json:"roles"`
	// AuthTime and ACR are absent, and AMR is empty, where nobody proved presence: somebody acts as
	// the person.
	AuthTime int64    `json:"auth_time,omitzero"`
	ACR      string   `json:"acr,omitzero"`
	AMR      []string `json:"amr"`
	// Actor is who acts as the person; nil if nobody does.
	Actor *Actor `json:"act,omitzero"`
	// Permissions are the workspace's own permissions, if the setting permissions_claim
	// requests them; omitted if there are too many.
	Permissions         []string `json:"permissions,omitzero"`
	PermissionsOverflow bool     `json:"permissions_overflow,omitzero"`
	// Features are those in the setting features_claim that the person has; nil without
	// the setting.
	Features []feature.Key `json:"features,omitzero"`
}

// maxPermissions is how many own permissions a token carries at most.
const maxPermissions = 100

// permit adds the own permissions of a standing to the claims.
func (c *Claims) permit(held role.EffectiveRoles) {
	own := held.Own()
	if c.PermissionsOverflow = len(own) > maxPermissions; !c.PermissionsOverflow {
		c.Permissions = own
	}
}

// presentedClaims are those of any token that this service signs for requests: a
// user's has a session, an app's a client_id alone.
type presentedClaims struct {
	Claims

	Scope        string `json:"scope"`
	Grant        string `json:"urn:gatehouse:grant"`
	Confirmation struct {
		JKT string `json:"jkt"`
	} `json:"cnf"`
}

// Actor is the actor of a token, and nested previous actors (RFC 8693 section 4.1).
type Actor struct {
	Subject string `json:"sub"`
	Actor   *Actor `json:"act,omitzero"`
}

// Parties are how many act, one behind the other.
func (a *Actor) Parties() int {
	n := 0
	for ; a != nil; a = a.Actor {
		n++
	}
	return n
}

// issuedClaims are the claims of a token with those that flows set, none of which has a name
// from above.
type issuedClaims struct {
	Claims

	Custom map[string]json.RawMessage `json:",inline"` //nolint:revive // The JSON library knows it.
}

// Features evaluates features for a person in their workspace.
type Features interface {
	On(ctx context.Context, org workspace.ID, u user.Snapshot, held role.EffectiveRoles, keys []feature.Key) ([]feature.Key, error)
}

// Access issues and verifies access tokens.
type Access struct {
	Instance *instance.Current
	JOSE     crypt.JOSE
	Clock    outbound.Clock
	IDs      outbound.IDs
	// Issuer is the public address of the instance.
	Issuer string
	// Verified remembers signatures that were verified.
	Verified *VerifiedTokens
	// Features is asked where the setting features_claim names some.
	Features Features
}

// Issue signs an access token for a session and returns its lifetime in seconds, which
// never exceeds that of the session, because resource servers may not check sessions.
// The store is read if the setting features_claim requests features.
func (a *Access) Issue(ctx context.Context, s session.Snapshot, u user.Snapshot, held role.EffectiveRoles) (secret.Shown, int, error) {
	settings := a.Instance.State().Settings
	claims := Claims{Audience: a.Issuer}
	if len(settings.FeaturesClaim) > 0 {
		var err error
		if claims.Features, err = a.Features.On(ctx, s.OrgID, u, held, settings.FeaturesClaim); err != nil {
			return "", 0, err
		}
	}
	life := a.remaining(s)
	if s.ActedBy == "" { // an impersonated session is never renewed
		life = min(settings.AccessTokenLife(), life)
	}
	return a.issue(claims, life, s, u, held)
}

// IssueUnfinished signs a token for a person with required actions, valid for these
// only, until the session ends.
func (a *Access) IssueUnfinished(s session.Snapshot, u user.Snapshot, held role.EffectiveRoles) (secret.Shown, int, error) {
	return a.issue(Claims{Audience: a.Issuer + actionsAudience}, a.remaining(s), s, u, held)
}

func (a *Access) remaining(s session.Snapshot) time.Duration { return s.ExpiresAt.Sub(a.Clock.Now()) }

// issue signs a token for the audience of some claims.
func (a *Access) issue(c Claims, life time.Duration, s session.Snapshot, u user.Snapshot, held role.EffectiveRoles) (secret.Shown, int, error) {
	state, now := a.Instance.State(), a.Clock.Now()
	c.Issuer, c.Subject, c.ID, c.Session = a.Issuer, u.ID.String(), a.IDs.UUID(), s.ID.String()
	c.Expiry, c.IssuedAt, c.AuthTime = now.Add(life).Unix(), now.Unix(), s.AuthTime.Unix()
	c.Client, c.Email, c.Verified = app.LoginClient, u.Email.String(), u.EmailVerified
	c.OrgID, c.Roles, c.ACR, c.AMR = s.OrgID.String(), held.Roles, oauth.ACROf(s.AMR), s.AMR
	if s.ActedBy != "" {
		c.Actor, c.ACR, c.AuthTime = &Actor{Subject: s.ActedBy.String()}, "", 0
	}
	if state.Settings.PermissionsClaim {
		c.permit(held)
	}
	if _, set := s.Claims["features"]; set {
		c.Features = nil // a flow said what it is
	}
	payload, err := strictjson.Encode(issuedClaims{c, s.Claims})
	if err != nil {
		return "", 0, fmt.Errorf("encode claims: %w", err)
	}
	signed, err := state.Keys.Active().Sign(accessType, payload)
	if err != nil {
		return "", 0, fmt.Errorf("sign access token: %w", err)
	}
	return signed, int(life / time.Second), nil
}

// VerifiedToken is a token with a valid signature and issuer.
type VerifiedToken struct {
	KeyID string
	// ID is the jti, Expiry and IssuedAt are Unix seconds.
	ID               string
	Subject          string
	Audience         string
	Expiry, IssuedAt int64
	// Session is that of a user's access token; empty in an M2M token. Org is its active
	// workspace when it was issued.
	Session, Org string
	// Unfinished reports whether the person has required actions, and the token is
	// valid for these only.
	Unfinished bool
	// Client is the client_id; of an M2M token, Scope are its scopes, JKT is the
	// thumbprint of the key that it is bound to, if it is (RFC 9449 section 6.1).
	Client, Scope, JKT string
	// Grant is that of a token which a client was given for a person; such a token has no
	// session, and a scope and a binding as M2M tokens have them.
	Grant string
	// Actor is the actor of an exchanged token, or who acts as the person of the session.
	Actor *Actor
}

// Machine reports whether it is an M2M token.
func (p VerifiedToken) Machine() bool { return p.Session == "" && p.Grant == "" }

// Impersonated reports whether it is of a session in which somebody else acts as the person.
func (p VerifiedToken) Impersonated() bool { return p.Session != "" && p.Actor != nil }

// Delegated reports whether a client was given it for a person.
func (p VerifiedToken) Delegated() bool { return p.Grant != "" }

// Verify verifies a token for this service. It fails with ErrInvalid, or with
// ErrExpired if only the expiry fails.
func (a *Access) Verify(ctx context.Context, token string, refresh func(context.Context) error) (VerifiedToken, error) {
	presented, err := a.Inspect(ctx, token, refresh)
	if presented.KeyID != "" && presented.Audience != a.Issuer && !presented.Unfinished {
		return VerifiedToken{}, ErrInvalid
	}
	return presented, err
}

// Inspect verifies a token for any audience. It fails with ErrInvalid, or with
// ErrExpired if only the expiry fails; then it returns the token too. For an unknown
// key it reads the store once, because another replica may have rotated the keys.
func (a *Access) Inspect(ctx context.Context, token string, refresh func(context.Context) error) (VerifiedToken, error) {
	presented, err := a.verify(token)
	if errors.Is(err, errUnknownKey) {
		if err := refresh(ctx); err != nil {
			return VerifiedToken{}, err
		}
		presented, err = a.verify(token)
	}
	if err != nil {
		return VerifiedToken{}, ErrInvalid.Because(err)
	}
	if a.Clock.Now().Unix() >= presented.Expiry {
		return presented, ErrExpired
	}
	return presented, nil
}

// Refresh returns the function that Inspect calls for an unknown key: it reads the
// signing keys if they changed since this replica read them.
func (a *Access) Refresh(admission outbound.Admission) func(context.Context) error {
	return func(ctx context.Context) error {
		answer, err := admission.Admit(ctx, outbound.AdmissionAsk{})
		if err != nil {
			return err
		}
		_, err = a.Instance.At(ctx, answer.Revision)
		return err
	}
}

// Holds reports whether the key of a token that was verified is still accepted.
func (a *Access) Holds(p VerifiedToken) bool {
	_, ok := a.Instance.State().Keys.Accepted(p.KeyID, a.Clock.Now())
	return ok
}

var errUnknownKey = errors.New("unknown signing key")

func (a *Access) verify(token string) (VerifiedToken, error) {
	digest := sha256.Sum256([]byte(token))
	if seen, ok := a.Verified.get(digest); ok && a.Holds(seen) {
		return seen, nil
	}
	keys, now, unknown := a.Instance.State().Keys, a.Clock.Now(), false
	verified, err := a.JOSE.Verify(token, accessType, func(kid string) (crypt.SigningKey, bool) {
		key, ok := keys.Accepted(kid, now)
		unknown = !ok
		return key, ok
	})
	if err != nil && unknown {
		return VerifiedToken{}, errUnknownKey
	}
	if err != nil {
		return VerifiedToken{}, err
	}
	presented, err := a.read(verified)
	if err == nil {
		a.Verified.put(digest, presented)
	}
	return presented, err
}

// read decodes the claims of a token. An M2M token may contain an app's own claims as
// well.
func (a *Access) read(verified crypt.Verified) (VerifiedToken, error) {
	var claims presentedClaims
	if err := strictjson.DecodeKnown(verified.Payload, &claims); err != nil {
		return VerifiedToken{}, fmt.Errorf("read claims: %w", err)
	}
	switch {
	case claims.Issuer != a.Issuer:
		return VerifiedToken{}, errors.New("wrong issuer")
	case claims.Session == "" && claims.Client == "":
		return VerifiedToken{}, errors.New("neither a user nor an app token")
	case claims.Grant != "" && (claims.Session != "" || claims.Client == "" || claims.Client == app.LoginClient):
		return VerifiedToken{}, errors.New("a grant token without client or with a session")
	case claims.Session != "" && claims.Client != "" && claims.Client != app.LoginClient:
		return VerifiedToken{}, errors.New("a session token that was issued to an app")
	}
	presented := VerifiedToken{
		KeyID: verified.KeyID, ID: claims.ID, Subject: claims.Subject, Audience: claims.Audience,
		Expiry: claims.Expiry, IssuedAt: claims.IssuedAt, Session: claims.Session,
		Unfinished: claims.Session != "" && claims.Audience == a.Issuer+actionsAudience,
		Client:     claims.Client, Scope: claims.Scope, JKT: claims.Confirmation.JKT, Grant: claims.Grant, Actor: claims.Actor,
	}
	if !presented.Machine() {
		presented.Org = claims.OrgID
	}
	return presented, nil
}
