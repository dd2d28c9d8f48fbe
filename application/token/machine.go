package token

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
)

// Bounds of an M2M token's scopes and, in bytes of JSON, of all its claims, so that
// it stays below the 8 KiB that verifiers take once it is signed.
const (
	maxMachineScope   = 3000
	maxMachinePayload = 5500
)

// ErrTooLarge is returned for a token that would be longer than verifiers take.
var ErrTooLarge = fault.New(fault.Validation,
	"invalid_scope: the token would exceed 8 KiB: request fewer scopes, or shorten the custom claims of the app")

// MachineClaims are the content of an M2M token (RFC 9068). It has no sid, unlike a
// user's access token.
type MachineClaims struct {
	Issuer          string        `json:"iss"`
	Subject         string        `json:"sub"`
	AuthorizedParty string        `json:"azp"`
	ClientID        string        `json:"client_id"`
	Audience        string        `json:"aud"`
	Expiry          int64         `json:"exp"`
	IssuedAt        int64         `json:"iat"`
	ID              string        `json:"jti"`
	Scope           string        `json:"scope"`
	OrgID           string        `json:"org_id"`
	Confirmation    *Confirmation `json:"cnf,omitzero"`
	// Custom are the app's own claims. None of them has a name from above, since these
	// are reserved.
	Custom map[string]jsontext.Value `json:",inline"` //nolint:revive // The JSON library knows it.
}

// Confirmation names the key that a token is bound to (RFC 7800 section 3.1, RFC
// 9449 section 6.1).
type Confirmation struct {
	JKT string `json:"jkt" doc:"SHA-256 thumbprint of the key (RFC 7638)."`
}

// MachinePayload returns the claims of a token for an app of a workspace, whose
// client_id is the slug. It fails with ErrTooLarge.
func (a *Access) MachinePayload(t m2m.Issued, slug string, org workspace.ID, custom map[string]jsontext.Value) ([]byte, error) {
	claims := MachineClaims{
		Issuer: a.Issuer, Subject: slug, AuthorizedParty: slug, ClientID: slug, Audience: t.Audience,
		Expiry: t.ExpiresAt.Unix(), IssuedAt: t.IssuedAt.Unix(), ID: t.JTI, Scope: t.Scope, OrgID: org.String(), Custom: custom,
	}
	if t.JKT != "" {
		claims.Confirmation = &Confirmation{JKT: t.JKT}
	}
	payload, err := strictjson.Encode(&claims)
	if err != nil {
		return nil, fmt.Errorf("encode the claims of an M2M token: %w", err)
	}
	if err := Fits(t.Scope, payload); err != nil {
		return nil, err
	}
	return payload, nil
}

// Fits fails with ErrTooLarge where a token would be longer than verifiers take.
func Fits(scope string, payload []byte) error {
	if len(scope) > maxMachineScope || len(payload) > maxMachinePayload {
		return ErrTooLarge
	}
	return nil
}

// SignMachine signs the claims of an M2M token.
func (a *Access) SignMachine(payload []byte) (secret.Shown, error) {
	signed, err := a.Instance.State().Keys.Active().Sign(accessType, payload)
	if err != nil {
		return "", fmt.Errorf("sign an M2M token: %w", err)
	}
	return signed, nil
}
