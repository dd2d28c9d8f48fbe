package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// longestLife is how far ahead the exp of an assertion may lie.
	longestLife = 10 * time.Minute
	// Skew is how far the clock of a client may be ahead.
	Skew = time.Minute
	// longestID is the most bytes of a jti.
	longestID = 256
	// assertionTyp is the typ of client assertions; one without is taken, too.
	assertionTyp = "client-authentication+jwt"
	// mostTried is the maximum number of keys tried for an assertion: the client is not
	// authenticated yet, and a large RSA key takes milliseconds.
	mostTried = 3
)

// assertion is the content of a client assertion (RFC 7523 section 3). Times are
// seconds of the Unix epoch, also with a fraction (RFC 7519 section 2).
type assertion struct {
	Issuer    string         `json:"iss"`
	Subject   string         `json:"sub"`
	Audience  jsontext.Value `json:"aud"`
	Expiry    float64        `json:"exp"`
	NotBefore float64        `json:"nbf"`
	IssuedAt  float64        `json:"iat"`
	ID        string         `json:"jti"`
}

// audiences reads aud, a text or a list of them (RFC 7519 section 4.1.3).
func audiences(aud jsontext.Value) []string {
	var several []string
	if json.Unmarshal(aud, &several) == nil {
		return several
	}
	var one string
	if json.Unmarshal(aud, &one) != nil {
		return nil
	}
	return []string{one}
}

// Names reports whether aud names one of some audiences.
func Names(aud jsontext.Value, accepted ...string) bool {
	return slices.ContainsFunc(audiences(aud), func(one string) bool { return slices.Contains(accepted, one) })
}

// namesOnly reports whether aud names some audiences and nobody else. Another server that is
// named too could authenticate here as the client, by the assertion that it was sent.
func namesOnly(aud jsontext.Value, accepted []string) bool {
	named := audiences(aud)
	return len(named) > 0 && !slices.ContainsFunc(named, func(one string) bool { return !slices.Contains(accepted, one) })
}

// about reports whether the assertion is that of a client, for the audiences and nobody
// else, at this time.
func (c *assertion) about(client string, accepted []string, now time.Time) bool {
	seconds := float64(now.UnixMicro()) / 1e6
	return c.Issuer == client && c.Subject == client &&
		namesOnly(c.Audience, accepted) &&
		seconds < c.Expiry && c.Expiry <= seconds+longestLife.Seconds() &&
		c.NotBefore <= seconds+Skew.Seconds() && c.IssuedAt <= seconds+Skew.Seconds() &&
		c.ID != "" && len(c.ID) <= longestID
}

// useKey returns the key to detect replays of the assertion: its client_id, which a later
// app may have as well, and its jti. It is distinct from all other replay keys.
func (c *assertion) useKey() string {
	digest := sha256.Sum256([]byte("client_assertion\x00" + c.Subject + "\x00" + c.ID))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

// asserted reports whether an assertion is right, and takes its jti: the same one
// never passes another call.
func (a *Authenticator) asserted(ctx context.Context, c *Credentials, of app.Snapshot) (bool, error) {
	payload, ok := a.Signed(ctx, c.Assertion.Reveal(), assertionTyp, of)
	if !ok {
		return false, nil
	}
	var claims assertion
	if json.Unmarshal(payload, &claims) != nil || !claims.about(c.ID, a.accepted(of, &claims), a.Clock.Now()) {
		return false, nil
	}
	if c.taken {
		return true, nil
	}
	until := time.UnixMicro(int64(claims.Expiry * 1e6)).Add(Skew)
	fresh, err := a.Replays.Use(ctx, claims.useKey(), until)
	if err != nil {
		return false, fmt.Errorf("take the jti of a client assertion: %w", err)
	}
	c.taken = fresh
	return fresh, nil
}

// accepted returns the audiences that an assertion of an app may name: by FAPI 2.0 Security Profile
// section 5.3.2.1 the issuer as a string, and nothing else.
func (a *Authenticator) accepted(of app.Snapshot, claims *assertion) []string {
	if of.Profile != app.FAPI2 {
		return a.Audiences
	}
	if claims.Audience.Kind() != '"' {
		return nil
	}
	return a.Audiences[:1]
}

// Signed returns the content of a JWT of a typ that one of the app's keys signed. For
// an app without keys as much is done, and everything refused.
func (a *Authenticator) Signed(ctx context.Context, text, typ string, of app.Snapshot) ([]byte, bool) {
	if of.JWKSURI != "" {
		return a.signedFar(ctx, text, typ, of)
	}
	set, none := of.JWKS, of.JWKS == ""
	if none {
		set = decoySet
	}
	keys, err := a.JWKS.ParsePublicSet([]byte(set))
	if err != nil {
		a.Logger.WarnContext(ctx, "failed to read the keys of an app", "app", of.ID.String(), "cause", err)
	}
	payload, ok := signedBy(suited(keys, of), text, typ)
	return payload, ok && !none
}

// signedFar is Signed with keys that the app publishes. When none of them fits,
// the app may have a new one since they were fetched.
func (a *Authenticator) signedFar(ctx context.Context, text, typ string, of app.Snapshot) ([]byte, bool) {
	var tried *keyFetch
	for _, age := range []time.Duration{keptKeys, doubtedKeys} {
		found, err := a.keys(ctx, of.JWKSURI, age)
		if err != nil {
			a.Logger.WarnContext(ctx, "failed to fetch the keys of an app", "app", of.ID.String(), "cause", err)
			return nil, false
		}
		if found == tried {
			break
		}
		tried = found
		if payload, ok := signedBy(suited(found.keys, of), text, typ); ok {
			return payload, true
		}
	}
	return nil, false
}

// suited returns the keys with algorithms permitted for an app: FAPI 2.0 Security
// Profile section 5.4.1 excludes RSA with PKCS #1 padding.
func suited(keys []crypt.PublicKey, of app.Snapshot) []crypt.PublicKey {
	if of.Profile != app.FAPI2 {
		return keys
	}
	return slices.DeleteFunc(slices.Clone(keys), func(key crypt.PublicKey) bool { return key.Algorithm() == "RS256" })
}

// signedBy returns the payload of a text signed by one of the keys. It tries keys with
// the kid of the text first, at most mostTried.
func signedBy(keys []crypt.PublicKey, text, typ string) ([]byte, bool) {
	tried := 0
	for _, named := range []bool{true, false} {
		for _, key := range keys {
			if named != (key.ID() != "") || tried == mostTried {
				continue
			}
			payload, err := key.Verify(text, typ)
			if err == nil {
				return payload, true
			}
			if errors.Is(err, crypt.ErrSignature) {
				tried++
			}
		}
	}
	return nil, false
}

// decoySet holds the public key of RFC 7515 appendix A.3.
const decoySet = `{"keys":[{"kty":"EC","crv":"P-256",` +
	`"x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`
