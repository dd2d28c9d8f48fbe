package dpop

import (
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/dpop"
)

// Binding is a registered key in results.
type Binding struct {
	ID         dpop.ID     `json:"id" doc:"Identifier of the binding."`
	Thumbprint string      `json:"thumbprint" doc:"SHA-256 thumbprint of the key (RFC 7638): what a token that is bound to it carries as cnf.jkt."`
	PublicJWK  JWK         `json:"public_jwk" doc:"The key, its required members alone."`
	Name       dpop.Name   `json:"name,omitzero" doc:"What the owner calls the key."`
	Status     dpop.Status `json:"status" doc:"What has become of the binding." jsonschema:"enum=active,enum=expired,enum=revoked"`
	CreatedAt  time.Time   `json:"created_at" doc:"When it was registered."`
	ExpiresAt  time.Time   `json:"expires_at" doc:"Until when tokens may be bound to it."`
	RevokedAt  time.Time   `json:"revoked_at,omitzero" doc:"When it was revoked, if it was."`
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
