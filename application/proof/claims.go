package proof

import (
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/dpop"
)

// latest is the greatest iat that is read at all, in the year 5138.
const latest = 1e11

// payload is the content of a proof. Clients may write more into it, such as a
// nonce, which means nothing here.
type payload struct {
	ID     *string `json:"jti"`
	Method *string `json:"htm"`
	URL    *string `json:"htu"`
	// IssuedAt are seconds since the Unix epoch; a fraction is allowed (RFC 7519
	// section 2).
	IssuedAt *float64 `json:"iat"`
	Hash     string   `json:"ath"`
}

// parse reads the claims of a proof; it fails with dpop.ErrClaims.
func parse(text []byte) (dpop.Claims, error) {
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return dpop.Claims{}, dpop.ErrClaims
	}
	if p.ID == nil || p.Method == nil || p.URL == nil || p.IssuedAt == nil || math.Abs(*p.IssuedAt) > latest {
		return dpop.Claims{}, dpop.ErrClaims
	}
	return dpop.Claims{
		ID: *p.ID, Method: *p.Method, URL: *p.URL, Hash: p.Hash,
		IssuedAt: time.UnixMicro(int64(math.Round(*p.IssuedAt * 1e6))).UTC(),
	}, nil
}
