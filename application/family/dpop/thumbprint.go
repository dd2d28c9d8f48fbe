package dpop

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// ThumbprintParams are the parameters of DPOP.THUMBPRINT.
type ThumbprintParams struct {
	PublicJWK JWK `json:"public_jwk" doc:"Public key as JWK (RFC 7517), of a kind that DPOP.REGISTER accepts."`
}

// ThumbprintResult is the result of DPOP.THUMBPRINT.
type ThumbprintResult struct {
	Thumbprint string `json:"thumbprint" doc:"SHA-256 thumbprint of the key, base64url-encoded (RFC 7638)."`
}

func (s *Service) thumbprint() command.Definition {
	return command.Define(command.Spec[ThumbprintParams, ThumbprintResult]{
		Name:        "DPOP.THUMBPRINT",
		Summary:     "Compute the thumbprint of a public key (RFC 7638).",
		Description: "The key is not registered.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
		Handle: func(_ context.Context, _ command.Call, p ThumbprintParams) (ThumbprintResult, error) {
			key, err := s.read(p.PublicJWK)
			return ThumbprintResult{Thumbprint: key.Thumbprint}, err
		},
	})
}
