// Package proof checks proofs of possession: that whoever sends a request holds
// the private key which a token is bound to (RFC 9449).
package proof

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// Proof is what came with one request.
type Proof struct {
	// Text is the compact JWS, the content of the DPoP header.
	Text string
	// Method and URL are those of the request, the URL with scheme and host.
	Method string
	URL    string
	// AccessToken is the token that came with the proof; with it, the proof must
	// name its hash. Without one, the claim ath is not looked at.
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

// Check returns the thumbprint of the key behind a proof, and takes its jti, once
// all else is right: the same proof never passes again, whatever becomes of the
// request. It fails with a refusal of package dpop, whose message begins with
// invalid_dpop_proof, or with invalid_token where the proof is right and the token
// belongs to another key.
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
