package jose

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// mostKeys is how many keys a set may have.
	mostKeys = 20
	// maxSet bounds a set, in bytes.
	maxSet = 256 << 10
	// maxKid bounds the kid of somebody else's key, in bytes.
	maxKid = 256
)

var _ crypt.JWKS = JOSE{}

// clientKey is a public key of a client.
type clientKey struct {
	*holder

	kid string
}

// ParsePublicSet reads a set whose keys must all be of use, judged as those that
// proofs are made with.
func (JOSE) ParsePublicSet(raw []byte) ([]crypt.PublicKey, error) {
	members, err := keysOf(raw)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 || len(members) > mostKeys {
		return nil, fault.Unfit("/keys", "must contain 1 to 20 keys")
	}
	var keys []crypt.PublicKey
	var complaints []fault.Field
	for i, member := range members {
		key, wrong := parseClientKey(member)
		if wrong == "" && key.kid != "" && named(keys, key.kid) {
			wrong = "duplicate kid: each key needs its own"
		}
		if wrong != "" {
			complaints = append(complaints, fault.Field{Path: "/keys/" + strconv.Itoa(i), Message: wrong})
			continue
		}
		keys = append(keys, key)
	}
	if len(complaints) > 0 {
		return nil, fault.Refuse(complaints...)
	}
	return keys, nil
}

// ReadPublicSet reads the keys of a set that are of use, the first 20 of them.
func (JOSE) ReadPublicSet(raw []byte) ([]crypt.PublicKey, error) {
	members, err := keysOf(raw)
	if err != nil {
		return nil, err
	}
	var keys []crypt.PublicKey
	for _, member := range members {
		key, wrong := parseClientKey(member)
		if wrong == "" && len(keys) < mostKeys {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// keysOf reads the keys of a set, not parsed yet. Other members of the set mean
// nothing (RFC 7517 section 5).
func keysOf(raw []byte) ([]jsontext.Value, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	switch {
	case len(raw) > maxSet:
		return nil, fault.Invalid("", "the JWK Set is larger than 256 KiB")
	case jsontext.Value(raw).Kind() != '{' || json.Unmarshal(raw, &set) != nil:
		return nil, fault.Invalid("", "must be a JWK Set: a JSON object with a keys array")
	case set.Keys == nil:
		return nil, fault.Unfit("/keys", "is missing")
	}
	return set.Keys, nil
}

func named(keys []crypt.PublicKey, kid string) bool {
	return slices.ContainsFunc(keys, func(k crypt.PublicKey) bool { return k.ID() == kid })
}

// parseClientKey reads one key, or says what is wrong with it.
func parseClientKey(text jsontext.Value) (*clientKey, string) {
	parsed, flaw := parseHolder(text)
	if flaw == dpop.KeySymmetric {
		return nil, "symmetric keys are not supported: register the public key of a key pair"
	}
	if flaw != "" {
		return nil, string(flaw)
	}
	var member struct {
		Kid string `json:"kid"`
	}
	if json.Unmarshal(text, &member) != nil || len(member.Kid) > maxKid {
		return nil, "kid must be a string of at most 256 bytes"
	}
	return &clientKey{holder: parsed, kid: member.Kid}, ""
}

// ID returns the kid, "" for none.
func (k *clientKey) ID() string { return k.kid }

// Algorithm is ES256, EdDSA or RS256.
func (k *clientKey) Algorithm() string { return k.algorithm }

// JWK returns the key with its required members, alg, use, and kid if it has one.
func (k *clientKey) JWK() []byte {
	rest := `,"alg":"` + k.algorithm + `","use":"sig"`
	if k.kid != "" {
		// A text always has a JSON form: it was read from one.
		kid, _ := jsontext.AppendQuote(nil, k.kid)
		rest += `,"kid":` + string(kid)
	}
	return []byte(strings.TrimSuffix(k.jwk, "}") + rest + "}")
}

// assertionHeader is the header of what a client signed. What stands under the names that
// are listed for refusal does not matter.
type assertionHeader struct {
	Typ string `json:"typ"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`

	Crit jsontext.Value `json:"crit"`
	B64  jsontext.Value `json:"b64"`
	Zip  jsontext.Value `json:"zip"`
	Enc  jsontext.Value `json:"enc"`
	JKU  jsontext.Value `json:"jku"`
	X5U  jsontext.Value `json:"x5u"`
	JWK  jsontext.Value `json:"jwk"`
}

// acceptable reports whether the header names this key and no other, and nothing
// that must be understood. A typ tells what it is from what else the key may sign
// (RFC 8725 section 3.11).
func (h *assertionHeader) acceptable(k *clientKey, typ string) bool {
	for _, member := range []jsontext.Value{h.Crit, h.B64, h.Zip, h.Enc, h.JKU, h.X5U, h.JWK} {
		if member != nil {
			return false
		}
	}
	switch strings.ToLower(strings.TrimPrefix(h.Typ, "application/")) {
	case "", "jwt", typ:
	default:
		return false
	}
	return k.takes(h.Alg) && (h.Kid == "" || k.kid == "" || h.Kid == k.kid)
}

// Verify checks a JWS of at most 8 KiB that a client signed.
func (k *clientKey) Verify(token, typ string) ([]byte, error) {
	parts, err := parseSegments(token)
	if err != nil {
		return nil, refused("must be a compact JWS of at most 8 KiB")
	}
	var header assertionHeader
	if json.Unmarshal(parts.header, &header) != nil || !header.acceptable(k, typ) {
		return nil, refused("the header does not match the key")
	}
	if !k.verifies(parts.input, parts.signature) {
		return nil, crypt.ErrSignature
	}
	return parts.payload, nil
}
