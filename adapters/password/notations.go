package password

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// notation is how another product writes hashes of a known algorithm.
type notation struct {
	form *regexp.Regexp
	// translate returns the hash in a form of formats; "" if it is none.
	translate func(groups []string) string
}

// notations lists them. Their forms, and those of formats, exclude each other.
func notations() []notation {
	return []notation{
		// Django
		{form(`(?:argon2|bcrypt\$)(\$.+)`), func(g []string) string { return g[0] }},
		{form(`bcrypt_sha256\$(\$2.+)`), func(g []string) string { return "$bcrypt-sha256" + g[0] }},
		{form(`pbkdf2_sha(1|256)\$(\d{4,7})\$([!-#%-~]{4,64})\$([A-Za-z0-9+/]{22,86}={0,2})`), func(g []string) string {
			return pbkdf2Hash(g[0], g[1], []byte(g[2]), g[3])
		}},
		{form(`scrypt\$(\d{4,6})\$([!-#%-~]{4,64})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9+/]{22,86}={0,2})`), func(g []string) string {
			return scryptHash(g[0], g[2], g[3], []byte(g[1]), g[4])
		}},
		// Ory Kratos
		{form(`\$pbkdf2-sha(1|224|256|384|512)\$i=(\d{4,7}),l=\d{1,3}(\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)`), func(g []string) string {
			return pbkdf2Prefix(g[0]) + g[1] + g[2]
		}},
		{form(`\$scrypt\$ln=(\d{4,6}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})`), func(g []string) string {
			salt, err := base64.StdEncoding.DecodeString(g[3])
			if err != nil {
				return ""
			}
			return scryptHash(g[0], g[1], g[2], salt, g[4])
		}},
		// Better Auth: scrypt of the salt as it is written
		{form(`([0-9a-f]{32}):([0-9a-f]{128})`), func(g []string) string {
			return scryptHash("16384", "16", "1", []byte(g[0]), base64OfHex(g[1]))
		}},
		// LDAP (RFC 2307)
		{form(`\{SSHA(|256|512)\}([A-Za-z0-9+/]+={0,2})`), func(g []string) string { return saltedSHA(g[0], g[1]) }},
		// ASP.NET Core Identity, version 3
		{form(`(AQAAAA[A-Za-z0-9+/]+={0,2})`), func(g []string) string { return identityHash(g[0]) }},
	}
}

// translated returns a hash as it is stored: in one of the forms of formats.
func translated(hash string, known []notation) string {
	for _, n := range known {
		if groups := n.form.FindStringSubmatch(hash); groups != nil {
			return n.translate(groups[1:])
		}
	}
	return hash
}

func unpadded(encoded string) string { return strings.TrimRight(encoded, "=") }

func encoded(raw []byte) string { return base64.RawStdEncoding.EncodeToString(raw) }

func base64OfHex(digits string) string {
	raw := make([]byte, len(digits)/2)
	for i := range raw {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			return ""
		}
		raw[i] = byte(n)
	}
	return encoded(raw)
}

func pbkdf2Prefix(sha string) string {
	if sha == "1" {
		return "$pbkdf2$"
	}
	return "$pbkdf2-sha" + sha + "$"
}

func pbkdf2Hash(sha, rounds string, salt []byte, key string) string {
	return pbkdf2Prefix(sha) + rounds + "$" + encoded(salt) + "$" + unpadded(key)
}

// scryptHash returns "" for a cost that is no power of two.
func scryptHash(cost, r, p string, salt []byte, key string) string {
	n := number(cost)
	if bits.OnesCount32(n) != 1 {
		return ""
	}
	return "$scrypt$ln=" + strconv.Itoa(bits.TrailingZeros32(n)) + ",r=" + r + ",p=" + p + "$" + encoded(salt) + "$" + unpadded(key)
}

// saltedSHA splits what RFC 2307 writes in one: the digest, then the salt.
func saltedSHA(sha, both string) string {
	size := map[string]int{"": 20, "256": 32, "512": 64}[sha]
	raw, err := base64.StdEncoding.Strict().DecodeString(both)
	if err != nil || len(raw) < size {
		return ""
	}
	return "$ssha" + sha + "$" + encoded(raw[size:]) + "$" + encoded(raw[:size])
}

// identityHash reads the header of a version 3 hash: the marker 1, the pseudorandom function, the rounds and the
// length of the salt, each but the marker of four bytes.
func identityHash(blob string) string {
	const header = 13
	raw, err := base64.StdEncoding.Strict().DecodeString(blob)
	if err != nil || len(raw) < header {
		return ""
	}
	field := func(i int) uint32 { return binary.BigEndian.Uint32(raw[1+4*i:]) }
	sha, known := map[uint32]string{0: "1", 1: "256", 2: "512"}[field(0)]
	saltLength := int64(field(2))
	if !known || int64(len(raw)-header) < saltLength {
		return ""
	}
	rounds := strconv.FormatUint(uint64(field(1)), 10)
	return pbkdf2Hash(sha, rounds, raw[header:header+saltLength], encoded(raw[header+saltLength:]))
}
