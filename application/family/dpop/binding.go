package dpop

import (
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/dpop"
)

// Binding is a registered key in results.
type Binding struct {
	ID         dpop.ID     `json:"id" doc:"ID of the binding."`
	Thumbprint string      `json:"thumbprint" doc:"SHA-256 thumbprint of the key (RFC 7638). Tokens bound to the key carry it as cnf.jkt."`
	PublicJWK  JWK         `json:"public_jwk" doc:"Public key, reduced to its required members."`
	Name       dpop.Name   `json:"name,omitzero" doc:"Name the owner gave the key."`
	Status     dpop.Status `json:"status" doc:"Status of the binding." jsonschema:"enum=active,enum=expired,enum=revoked"`
	CreatedAt  time.Time   `json:"created_at" doc:"Time the key was registered."`
	ExpiresAt  time.Time   `json:"expires_at" doc:"Time until which tokens can be bound to the key."`
	RevokedAt  time.Time   `json:"revoked_at,omitzero" doc:"Time the binding was revoked. Absent if it was not revoked."`
}

// show returns a binding as it stands at a time.
func show(s dpop.Snapshot, now time.Time) (Binding, error) {
	shown := Binding{
		ID: s.ID, Thumbprint: s.Thumbprint, Name: s.Name, Status: s.Status(now),
		CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt, RevokedAt: s.RevokedAt,
	}
	if err := strictjson.Decode(s.PublicJWK, &shown.PublicJWK); err != nil {
		return Binding{}, fmt.Errorf("read the key of the DPoP binding %s: %w", s.ID, err)
	}
	return shown, nil
}
