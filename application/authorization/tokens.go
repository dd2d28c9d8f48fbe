package authorization

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/crypt"
)

// accessClaims are the content of an access token that a client is given for a person (RFC
// 9068 section 2.2).
type accessClaims struct {
	Issuer       string              `json:"iss"`
	Subject      string              `json:"sub"`
	Audience     string              `json:"aud"`
	Expiry       int64               `json:"exp"`
	IssuedAt     int64               `json:"iat"`
	ID           string              `json:"jti"`
	Client       string              `json:"client_id"`
	Scope        string              `json:"scope"`
	AuthTime     int64               `json:"auth_time"`
	ACR          string              `json:"acr"`
	AMR          []string            `json:"amr"`
	Grant        string              `json:"urn:gatehouse:grant"`
	Actor        *token.Actor        `json:"act,omitzero"`
	Confirmation *token.Confirmation `json:"cnf,omitzero"`
}

// idClaims are the content of an ID token (OpenID Connect Core section 2).
type idClaims struct {
	Issuer          string   `json:"iss"`
	Subject         string   `json:"sub"`
	Audience        string   `json:"aud"`
	AuthorizedParty string   `json:"azp"`
	Expiry          int64    `json:"exp"`
	IssuedAt        int64    `json:"iat"`
	AuthTime        int64    `json:"auth_time"`
	Nonce           string   `json:"nonce,omitzero"`
	ACR             string   `json:"acr"`
	AMR             []string `json:"amr"`
	AccessHash      string   `json:"at_hash"`
	Session         string   `json:"sid"`

	PersonClaims

	Custom map[string]any `json:",inline"` //nolint:revive // The JSON library knows it.
}

// subjectOf returns the subject identifier of a person for a client: public, or
// pairwise for its sector (OpenID Connect Core section 8.1).
func (s *Service) subjectOf(client app.Snapshot, person user.ID) string {
	sector := client.Sector()
	if sector == "" {
		return person.String()
	}
	return base64.RawURLEncoding.EncodeToString(s.Texts.Key.Sum(label.OAuthSubject, sector+" "+person.String()))
}

// sign makes the tokens of a grant.
func (s *Service) sign(ctx context.Context, of oauth.GrantSnapshot, g redemption) (Tokens, error) {
	now, state, scopes := s.Clock.Now(), s.Instance.State(), g.scopes
	life := state.Settings.AccessTokenLife()
	if g.by.AccessTTL > 0 {
		life = g.by.AccessTTL
	}
	life = min(g.audience.Life(life), of.ExpiresAt.Sub(now))
	if !of.Offline {
		life = min(life, g.behind.SessionUntil.Sub(now))
	}
	audience := s.Access.Issuer
	if len(of.Resources) > 0 {
		audience = of.Resources[0]
	}
	claims := accessClaims{
		Issuer: s.Access.Issuer, Subject: of.Subject, Audience: audience, Expiry: now.Add(life).Unix(), IssuedAt: now.Unix(), ID: s.IDs.UUID(),
		Client: g.by.Slug, Scope: strings.Join(scopes, " "), AuthTime: of.AuthTime.Unix(), ACR: of.ACR, AMR: of.AMR, Grant: of.ID.String(),
	}
	kind := "Bearer"
	if g.jkt != "" {
		claims.Confirmation, kind = &token.Confirmation{JKT: g.jkt}, "DPoP"
	}
	access, err := signed(state.Keys.Active(), "at+jwt", claims)
	if err != nil {
		return Tokens{}, err
	}
	made := Tokens{Access: access, Type: kind, ExpiresIn: life, Scopes: scopes}
	if !slices.Contains(scopes, oauth.OpenID) {
		return made, nil
	}
	key, err := s.Keys.Signing(ctx, g.by.SignedBy())
	if err != nil {
		return Tokens{}, err
	}
	hash := sha256.Sum256([]byte(access))
	made.ID, err = signed(key, idType, idClaims{
		Issuer: s.Access.Issuer, Subject: of.Subject, Audience: g.by.Slug, AuthorizedParty: g.by.Slug, Expiry: now.Add(idLife).Unix(), IssuedAt: now.Unix(),
		AuthTime: of.AuthTime.Unix(), Nonce: g.nonce(of), ACR: of.ACR, AMR: of.AMR, AccessHash: base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2]),
		Session: of.SessionID.String(), PersonClaims: g.claims, Custom: g.custom,
	})
	return made, err
}

// nonce returns the nonce of the ID token: that of the authorization request, and none
// after a refresh (OpenID Connect Core section 12.2).
func (g redemption) nonce(of oauth.GrantSnapshot) string {
	if g.Refresh.Empty() {
		return of.Nonce
	}
	return ""
}

// idType is the typ of ID tokens, which no other token of this service has.
const idType = "JWT"

// idLife is how long an ID token may be taken for a login.
const idLife = 10 * time.Minute

func signed(by crypt.SigningKey, typ string, claims any) (secret.Shown, error) {
	payload, err := strictjson.Encode(claims)
	if err != nil {
		return "", fmt.Errorf("encode the claims of a token: %w", err)
	}
	text, err := by.Sign(typ, payload)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return text, nil
}
