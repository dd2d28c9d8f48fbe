package dpop

import (
	"encoding/json"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/ports/outbound/crypt"
)

// JWK is a public key as JSON (RFC 7517).
type JWK map[string]json.RawMessage

// SchemaFragment describes the key in a JSON Schema. What its members must be is
// said by whoever reads the key, with the reason.
func (JWK) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object", "maxProperties": 32,
		"examples": []any{map[string]any{
			"kty": "EC", "crv": "P-256",
			"x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
			"y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
		}},
	}
}

// read returns the key behind a parameter.
func (s *Service) read(given JWK) (crypt.ProofKey, error) {
	text, err := strictjson.Encode(given)
	if err != nil {
		return crypt.ProofKey{}, err
	}
	return s.Keys.Key(text)
}
