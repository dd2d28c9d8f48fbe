package jose

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound/crypt"
)

// proofType is the typ of proofs (RFC 9449 section 4.2).
const proofType = "dpop+jwt"

var _ crypt.ProofKeys = JOSE{}

// proofHeader is the header of a proof: its three members, and those that would
// name a key or a meaning otherwise, which are refused whatever they hold. Members
// that nobody knows are ignored, as RFC 7515 section 4 wants it of a reader of
// tokens that others make.
type proofHeader struct {
	Typ string         `json:"typ"`
	Alg string         `json:"alg"`
	JWK jsontext.Value `json:"jwk"`

	Crit      jsontext.Value `json:"crit"`
	B64       jsontext.Value `json:"b64"`
	Zip       jsontext.Value `json:"zip"`
	Enc       jsontext.Value `json:"enc"`
	JKU       jsontext.Value `json:"jku"`
	X5U       jsontext.Value `json:"x5u"`
	X5C       jsontext.Value `json:"x5c"`
	X5T       jsontext.Value `json:"x5t"`
	X5TSHA256 jsontext.Value `json:"x5t#S256"`
}

// forbidden reports whether the header has a member that a proof must not have.
func (h *proofHeader) forbidden() bool {
	for _, member := range []jsontext.Value{h.Crit, h.B64, h.Zip, h.Enc, h.JKU, h.X5U, h.X5C, h.X5T, h.X5TSHA256} {
		if member != nil {
			return true
		}
	}
	return false
}

// Key reads a public key. It fails with a fault about the parameter public_jwk.
func (JOSE) Key(publicJWK []byte) (crypt.ProofKey, error) {
	key, flaw := parseHolder(publicJWK)
	if flaw != "" {
		return crypt.ProofKey{}, flaw.Parameter()
	}
	return key.describe(), nil
}

// Proof takes a proof apart, form and key first, the signature last, which alone
// costs more than microseconds. It fails with a refusal of package dpop.
func (JOSE) Proof(text string) (crypt.SignedProof, error) {
	parts, err := parseSegments(text)
	if err != nil {
		return crypt.SignedProof{}, err
	}
	key, err := holderOf(parts.header)
	if err != nil {
		return crypt.SignedProof{}, err
	}
	if !key.verifies(parts.input, parts.signature) {
		return crypt.SignedProof{}, dpop.ErrSignature
	}
	return crypt.SignedProof{Key: key.describe(), Claims: parts.payload}, nil
}

// segments are the decoded parts of a compact JWS that somebody else made, and
// what its signature is over.
type segments struct{ header, payload, input, signature []byte }

// parseSegments takes apart a compact JWS of at most 8 KiB with one signature (RFC
// 7515 section 7.1). It fails with dpop.ErrMalformed.
func parseSegments(text string) (segments, error) {
	if len(text) > maxToken {
		return segments{}, dpop.ErrMalformed
	}
	head, rest, _ := strings.Cut(text, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	parts := segments{input: []byte(text[:max(0, len(text)-len(signature)-1)])}
	for _, part := range []struct {
		encoded string
		into    *[]byte
	}{{head, &parts.header}, {payload, &parts.payload}, {signature, &parts.signature}} {
		var err error
		if *part.into, err = decode(part.encoded); err != nil { // also where there is another dot
			return segments{}, dpop.ErrMalformed
		}
	}
	return parts, nil
}

// holderOf reads the header of a proof and returns the key in it.
func holderOf(text []byte) (*holder, error) {
	var header proofHeader
	if err := json.Unmarshal(text, &header); err != nil || header.forbidden() {
		return nil, dpop.ErrHeader
	}
	switch {
	case header.Typ != proofType:
		return nil, dpop.ErrType
	case header.JWK == nil:
		return nil, dpop.ErrHeader
	}
	key, flaw := parseHolder(header.JWK)
	switch {
	case flaw != "":
		return nil, flaw.Proof()
	case !key.takes(header.Alg):
		return nil, dpop.ErrAlgorithm
	}
	return key, nil
}
