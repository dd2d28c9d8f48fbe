// Package token issues and verifies what a login hands out: access tokens, which
// are signed and short-lived, and refresh tokens, which are opaque and rotate
// (contract section 3).
package token

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/instance"
	"gatehouse.internal/application/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// accessType is the typ of access tokens (RFC 9068 section 2.1).
const accessType = "at+jwt"

// Errors of access tokens.
var (
	ErrExpired = fault.New(fault.TokenExpired, "the access token has expired: call AUTH.REFRESH")
	ErrInvalid = fault.New(fault.TokenInvalid, "the access token is not valid")
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
	Email    string   `json:"email"`
	OrgID    string   `json:"org_id"`
	Roles    []string `json:"roles"`
	AuthTime int64    `json:"auth_time"`
	AMR      []string `json:"amr"`
}

// Access issues and verifies access tokens.
type Access struct {
	Instance *instance.Current
	JOSE     outbound.JOSE
	Clock    outbound.Clock
	IDs      outbound.IDs
	// Issuer is the public address of the instance.
	Issuer string
	// Seen remembers signatures that were verified.
	Seen *Seen
}

// Issue signs an access token for a session and tells its lifetime in seconds.
func (a *Access) Issue(s session.Snapshot, u user.Snapshot, roles []string) (string, int, error) {
	state, now := a.Instance.State(), a.Clock.Now()
	life := state.Settings.AccessTokenLife()
	payload, err := strictjson.Encode(Claims{
		Issuer: a.Issuer, Subject: u.ID.String(), Audience: a.Issuer,
		Expiry: now.Add(life).Unix(), IssuedAt: now.Unix(), ID: a.IDs.UUID(), Session: s.ID.String(),
		Email: u.Email.String(), OrgID: s.OrgID.String(), Roles: roles, AuthTime: s.AuthTime.Unix(), AMR: s.AMR,
	})
	if err != nil {
		return "", 0, fmt.Errorf("encode claims: %w", err)
	}
	signed, err := state.Keys.Active().Sign(accessType, payload)
	if err != nil {
		return "", 0, fmt.Errorf("sign access token: %w", err)
	}
	return signed, int(life / time.Second), nil
}

// Presented is an access token whose signature, issuer and audience are right.
type Presented struct {
	Claims Claims
	KeyID  string
}

// Verify checks a token. It fails with ErrInvalid, or with ErrExpired when all
// else is right. A key that this replica does not know yet makes it look at the
// store once: another replica may have rotated.
func (a *Access) Verify(ctx context.Context, token string, refresh func(context.Context) error) (Presented, error) {
	presented, err := a.verify(token)
	if errors.Is(err, errUnknownKey) {
		if err := refresh(ctx); err != nil {
			return Presented{}, err
		}
		presented, err = a.verify(token)
	}
	if err != nil {
		return Presented{}, ErrInvalid.Because(err)
	}
	if a.Clock.Now().Unix() >= presented.Claims.Expiry {
		return Presented{}, ErrExpired
	}
	return presented, nil
}

// Holds tells whether the key of a token that was verified is still accepted.
func (a *Access) Holds(p Presented) bool {
	_, ok := a.Instance.State().Keys.Accepted(p.KeyID, a.Clock.Now())
	return ok
}

var errUnknownKey = errors.New("unknown signing key")

func (a *Access) verify(token string) (Presented, error) {
	digest := sha256.Sum256([]byte(token))
	if seen, ok := a.Seen.get(digest); ok && a.Holds(seen) {
		return seen, nil
	}
	keys, now, unknown := a.Instance.State().Keys, a.Clock.Now(), false
	verified, err := a.JOSE.Verify(token, accessType, func(kid string) (outbound.SigningKey, bool) {
		key, ok := keys.Accepted(kid, now)
		unknown = !ok
		return key, ok
	})
	if err != nil && unknown {
		return Presented{}, errUnknownKey
	}
	if err != nil {
		return Presented{}, err
	}
	presented := Presented{KeyID: verified.KeyID}
	if err := strictjson.Decode(verified.Payload, &presented.Claims); err != nil {
		return Presented{}, fmt.Errorf("read claims: %w", err)
	}
	if presented.Claims.Issuer != a.Issuer || presented.Claims.Audience != a.Issuer {
		return Presented{}, errors.New("wrong issuer or audience")
	}
	a.Seen.put(digest, presented)
	return presented, nil
}
