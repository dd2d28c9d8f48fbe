// Package proof verifies proofs of possession of the private key that a token is bound
// to (RFC 9449).
package proof

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// Proof is the DPoP proof of a request.
type Proof struct {
	// Text is the compact JWS, the content of the DPoP header.
	Text string
	// Method and URL are those of the request, the URL with scheme and host.
	Method string
	URL    string
	// AccessToken is the token sent with the proof, whose hash the proof must contain.
	// If it is empty, the claim ath is ignored.
	AccessToken string
	// WantJKT is the thumbprint that the token is bound to; "" takes any key.
	WantJKT string
}

// Checker checks proofs.
type Checker struct {
	Keys   crypt.ProofKeys
	Proofs machines.Proofs
	Clock  outbound.Clock
	// Host is the public address of the service (SERVICE_HOST), without a final
	// slash.
	Host string
}

// URL returns the address that a client sees of a path of this service. It owes
// nothing to the Host header.
func (c *Checker) URL(path string) string { return c.Host + path }

// Check verifies a proof, records its jti, and returns the thumbprint of its key. The
// same proof is accepted once, whatever the result of the request. It fails with an
// error of package dpop, whose message begins with invalid_dpop_proof, or with
// invalid_token if the proof is valid and the token belongs to another key.
func (c *Checker) Check(ctx context.Context, p Proof) (thumbprint string, err error) {
	signed, err := c.Keys.Proof(p.Text)
	if err != nil {
		return "", err
	}
	thumbprint = signed.Key.Thumbprint
	claims, err := parse(signed.Claims)
	if err != nil {
		return "", err
	}
	request := dpop.Request{Method: p.Method, URL: p.URL, AccessToken: p.AccessToken}
	if err := claims.Check(request, c.Clock.Now()); err != nil {
		return "", err
	}
	if p.WantJKT != "" && p.WantJKT != thumbprint {
		return "", otherKey(p)
	}
	fresh, err := c.Proofs.Use(ctx, claims.UseKey(thumbprint), claims.KeptUntil())
	if err != nil {
		return "", fmt.Errorf("take the jti of a proof: %w", err)
	}
	if !fresh {
		return "", dpop.ErrReplayed
	}
	return thumbprint, nil
}

// otherKey is the refusal of a proof by another key than was asked for.
func otherKey(p Proof) error {
	if p.AccessToken != "" {
		return dpop.ErrNotHolder
	}
	return dpop.ErrOtherKey
}
