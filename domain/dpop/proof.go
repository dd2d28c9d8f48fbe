package dpop

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/fault"
)

const (
	// word is the OAuth error that leads every refusal of a proof (RFC 9449 section
	// 12.2).
	word = "invalid_dpop_proof: "
	// skew is how far the clocks of a client and of the service may be apart.
	skew = 60 * time.Second
	// kept is how long after its iat a proof is remembered: longer than any replica
	// accepts it, including clock differences.
	kept = 2 * skew
	// longestID is the most characters of a jti.
	longestID = 256
)

// Errors of proofs (RFC 9449 section 4.3), in addition to those of the key in the
// header, see KeyFlaw.
var (
	ErrMalformed = fault.New(fault.Auth, word+"the proof must be a compact JWS of at most 8 KiB in canonical unpadded base64url")
	ErrHeader    = fault.New(fault.Auth, word+"the header must be a JSON object with unique names, with typ, alg and jwk and without crit, b64, zip, enc, jku, x5u, x5c and x5t")
	ErrType      = fault.New(fault.Auth, word+"typ must be dpop+jwt")
	ErrAlgorithm = fault.New(fault.Auth, word+"alg must be ES256, Ed25519, EdDSA or RS256 and match the key type")
	ErrSignature = fault.New(fault.Auth, word+"the signature does not match the key in the header")
	ErrClaims    = fault.New(fault.Auth, word+"the claims must be a JSON object with unique names and with jti, htm, htu and iat")
	ErrID        = fault.New(fault.Auth, word+"jti must have 1 to 256 characters")
	ErrMethod    = fault.New(fault.Auth, word+"htm does not match the method of this request")
	ErrURL       = fault.New(fault.Auth, word+"htu does not match the URL of this request")
	ErrTime      = fault.New(fault.Auth, word+"iat is more than 60 seconds off the server's time; check your clock")
	ErrHash      = fault.New(fault.Auth, word+"ath does not match the hash of the access token sent with the proof")
	ErrReplayed  = fault.New(fault.Auth, word+"jti was already used; create a new proof for each request")
	ErrOtherKey  = fault.New(fault.Auth, word+"the proof was made with a different key than requested")
	// ErrAbsent is a missing proof, which is no invalid one.
	ErrAbsent = fault.New(fault.Auth, "invalid_request: tokens for this client or grant are bound to a key; send a proof in the DPoP header")
	// ErrNotHolder is a proof by another key than the token is bound to, which
	// speaks against the token (RFC 9449 section 7.1).
	ErrNotHolder = fault.New(fault.Auth, "invalid_token: the access token is bound to a different key than the DPoP proof")
)

// Claims are the claims of a proof (RFC 9449 section 4.2). A nonce is ignored, because
// the service issues none.
type Claims struct {
	// ID distinguishes the proof from all others by the same key (jti).
	ID     string
	Method string
	URL    string
	// IssuedAt is when it was made, by the client's clock.
	IssuedAt time.Time
	// Hash is that of the access token (ath).
	Hash string
}

// Request is the request that a proof must match.
type Request struct {
	Method string
	URL    string
	// AccessToken is the token sent with the proof; if it is empty, the hash in the
	// proof is not checked.
	AccessToken string
}

// Check holds the claims against a request; it fails with the refusal of the first
// that is wrong.
func (c Claims) Check(r Request, now time.Time) error {
	switch length := utf8.RuneCountInString(c.ID); {
	case length < 1 || length > longestID:
		return ErrID
	case c.Method != r.Method:
		return ErrMethod
	case !sameURL(c.URL, r.URL):
		return ErrURL
	case c.IssuedAt.Before(now.Add(-skew)) || c.IssuedAt.After(now.Add(skew)):
		return ErrTime
	case r.AccessToken != "" && subtle.ConstantTimeCompare([]byte(c.Hash), []byte(HashOf(r.AccessToken))) == 0:
		return ErrHash
	}
	return nil
}

// UseKey returns the key to detect replays of the proof with the key of this
// thumbprint. It is unique among all keys and purposes.
func (c Claims) UseKey(thumbprint string) string {
	digest := sha256.Sum256([]byte("dpop\x00" + thumbprint + "\x00" + c.ID))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

// KeptUntil returns until when the proof must be remembered.
func (c Claims) KeptUntil() time.Time { return c.IssuedAt.Add(kept) }

// HashOf returns the hash of an access token as a proof names it in ath.
func HashOf(accessToken string) string {
	digest := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

// sameURL compares two URLs after normalization; an invalid URL equals none.
func sameURL(a, b string) bool {
	one, err := NormalizeURL(a)
	if err != nil {
		return false
	}
	other, err := NormalizeURL(b)
	return err == nil && one == other
}
