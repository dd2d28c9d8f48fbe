package jose

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// maxToken bounds a compact JWS, in bytes, coming in and going out.
	maxToken = 8 << 10
	// maxFile is that of a license file.
	maxFile = 256 << 10
	// maxHeader bounds its encoded header, in bytes.
	maxHeader = 512
)

// header is all that a protected header may hold (RFC 7515 section 4.1).
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// compact is a token taken apart, its signature not yet checked.
type compact struct {
	header    header
	payload   []byte
	input     []byte
	signature []byte
}

// split takes a compact JWS apart (RFC 7515 section 7.1).
func split(token string) (compact, error) {
	if len(token) > maxToken {
		return compact{}, refused("longer than 8 KiB")
	}
	return splitAny(token)
}

// splitAny is split without a bound.
func splitAny(token string) (compact, error) {
	if strings.Count(token, ".") != 2 {
		return compact{}, refused("must have three segments")
	}
	last := strings.LastIndexByte(token, '.')
	first := strings.IndexByte(token, '.')
	parsed, err := parseHeader(token[:first])
	if err != nil {
		return compact{}, err
	}
	signature, err := decode(token[last+1:])
	if err != nil {
		return compact{}, err
	}
	payload, err := decode(token[first+1 : last])
	if err != nil {
		return compact{}, err
	}
	return compact{header: parsed, payload: payload, input: []byte(token[:last]), signature: signature}, nil
}

// parseHeader reads the header strictly: it refuses duplicate and unknown
// members, other spellings of their names, invalid UTF-8 and anything that
// follows the object.
func parseHeader(segment string) (header, error) {
	if len(segment) > maxHeader {
		return header{}, refused("header too long")
	}
	text, err := decode(segment)
	if err != nil {
		return header{}, err
	}
	var parsed header
	if err := json.Unmarshal(text, &parsed, json.RejectUnknownMembers(true)); err != nil {
		return header{}, refused("header malformed")
	}
	return parsed, nil
}

// decode reads unpadded base64url in its one canonical form (RFC 4648 sections
// 3.5 and 5). The standard decoder skips line breaks even when strict.
func decode(segment string) ([]byte, error) {
	if segment == "" || strings.ContainsAny(segment, "\r\n") {
		return nil, refused("segment not base64url")
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil {
		return nil, refused("segment not base64url")
	}
	return decoded, nil
}

func refused(reason string) error {
	return fmt.Errorf("%w: %s", crypt.ErrTokenRefused, reason)
}
