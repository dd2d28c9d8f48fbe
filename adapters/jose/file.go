package jose

import (
	"strings"

	"gatehouse.internal/ports/outbound/crypt"
)

// edDSA is the algorithm of license files.
const edDSA = "EdDSA"

// VerifyFile checks a license file: a compact JWS of the given typ, signed by an Ed25519
// key of a JWK Set that its kid names. It returns the claims, of which nothing is said
// yet, and fails with crypt.ErrTokenRefused, or for a set that is none with a validation
// fault.
func VerifyFile(file, typ string, set []byte) ([]byte, error) {
	keys, err := JOSE{}.ReadPublicSet(set)
	if err != nil {
		return nil, err
	}
	file = strings.TrimSpace(file)
	if len(file) > maxFile {
		return nil, refused("longer than 256 KiB")
	}
	parts, err := splitAny(file)
	if err != nil {
		return nil, err
	}
	if parts.header.Typ != typ || parts.header.Alg != edDSA {
		return nil, refused("not a license file")
	}
	for _, key := range keys {
		known, ok := key.(*clientKey)
		if !ok || known.kid != parts.header.Kid || known.algorithm != edDSA {
			continue
		}
		if known.verifies(parts.input, parts.signature) {
			return parts.payload, nil
		}
		return nil, crypt.ErrSignature
	}
	return nil, refused("unknown kid: the JWK Set has no such key")
}
