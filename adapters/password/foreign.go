package password

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1" // #nosec G505 -- hashes that others made
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zitadel/passwap/bcrypt"
	"github.com/zitadel/passwap/verifier"
	"golang.org/x/crypto/scrypt"
)

// foreignFormats lists the kinds of hashes that products made up from others, and that passwap does not know.
func foreignFormats() []format {
	return []format{
		{
			form:     form(`\$wp\$2y\$\d\d\$[./A-Za-z0-9]{53}`),
			verifier: prehashed{prefix: "$wp", digest: wordPress, bcrypt: bcrypt.NewVerifier(bcryptBounds())},
		},
		{
			form:     form(`\$bcrypt-sha256\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}`),
			verifier: prehashed{prefix: "$bcrypt-sha256", digest: hexSHA256, bcrypt: bcrypt.NewVerifier(bcryptBounds())},
		},
		{
			form:       form(`\$firescrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{6,86}={0,2}\$[A-Za-z0-9+/]{22,88}={0,2}\$[A-Za-z0-9+/]{1,22}={0,2}\$[A-Za-z0-9+/]{22,88}={0,2}`),
			affordable: affordableScrypt,
			verifier:   fireScrypt{},
		},
		{
			form:     form(`\$ssha(?:256|512)?\$[A-Za-z0-9+/]{6,86}\$[A-Za-z0-9+/]{27,86}`),
			verifier: salted{},
		},
	}
}

func bcryptBounds() *bcrypt.ValidationOpts { return &bcrypt.ValidationOpts{MinCost: 4, MaxCost: 14} }

// prehashed is bcrypt of a digest of the password, since bcrypt reads 72 bytes alone.
type prehashed struct {
	prefix string
	digest func(password string) string
	bcrypt verifier.Verifier
}

// Validate judges the bcrypt hash.
func (p prehashed) Validate(encoded string) (verifier.Result, error) {
	return p.bcrypt.Validate(strings.TrimPrefix(encoded, p.prefix))
}

// Verify compares the digest with the bcrypt hash.
func (p prehashed) Verify(encoded, password string) (verifier.Result, error) {
	return p.bcrypt.Verify(strings.TrimPrefix(encoded, p.prefix), p.digest(password))
}

// wordPress is the digest of WordPress since 6.8. It trims passwords as PHP does.
func wordPress(password string) string {
	keyed := hmac.New(sha512.New384, []byte("wp-sha384"))
	keyed.Write([]byte(strings.Trim(password, " \t\n\r\x00\v")))
	return base64.StdEncoding.EncodeToString(keyed.Sum(nil))
}

// hexSHA256 is the digest of Django's bcrypt_sha256.
func hexSHA256(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// fireScrypt is Firebase's scrypt, as Kratos writes it with the parameters of the project: the key that scrypt
// derives encrypts the signer key.
type fireScrypt struct{}

// Validate reports whether everything in it can be read.
func (fireScrypt) Validate(encoded string) (verifier.Result, error) {
	if _, _, err := readFireScrypt(encoded); err != nil {
		return verifier.Fail, err
	}
	return verifier.OK, nil
}

// Verify compares a password.
func (fireScrypt) Verify(encoded, password string) (verifier.Result, error) {
	costs, parts, err := readFireScrypt(encoded)
	if err != nil {
		return verifier.Fail, err
	}
	salt, want, separator, signer := parts[0], parts[1], parts[2], parts[3]
	key, err := scrypt.Key([]byte(password), append(salt, separator...), 1<<costs[0], costs[1], costs[2], 32)
	if err != nil {
		return verifier.Fail, fmt.Errorf("derive a key by scrypt: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return verifier.Fail, fmt.Errorf("encrypt the signer key: %w", err)
	}
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(signer, signer) //nolint:gosec // the format has no nonce: each key encrypts once
	return compared(signer, want), nil
}

// readFireScrypt returns the costs, and the salt, the hash, the salt separator and the signer key.
func readFireScrypt(encoded string) (costs [3]int, parts [][]byte, err error) {
	fields := strings.Split(encoded, "$")
	if _, err := fmt.Sscanf(fields[2], "ln=%d,r=%d,p=%d", &costs[0], &costs[1], &costs[2]); err != nil {
		return costs, nil, fmt.Errorf("read the costs: %w", err)
	}
	for _, field := range fields[3:] {
		part, err := base64.StdEncoding.Strict().DecodeString(field)
		if err != nil {
			return costs, nil, fmt.Errorf("read base64: %w", err)
		}
		parts = append(parts, part)
	}
	return costs, parts, nil
}

// salted is a digest of the password and a salt after it ({SSHA}, {SSHA256} and {SSHA512} of LDAP).
type salted struct{}

// Validate reports whether everything in it can be read.
func (salted) Validate(encoded string) (verifier.Result, error) {
	salt, want, err := readSalted(encoded)
	if err != nil || len(want) != len(digestOf(encoded, salt)) {
		return verifier.Fail, err
	}
	return verifier.OK, nil
}

// Verify compares a password.
func (salted) Verify(encoded, password string) (verifier.Result, error) {
	salt, want, err := readSalted(encoded)
	if err != nil {
		return verifier.Fail, err
	}
	return compared(digestOf(encoded, append([]byte(password), salt...)), want), nil
}

func readSalted(encoded string) (salt, digest []byte, err error) {
	fields := strings.Split(encoded, "$")
	if salt, err = base64.RawStdEncoding.Strict().DecodeString(fields[2]); err == nil {
		digest, err = base64.RawStdEncoding.Strict().DecodeString(fields[3])
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read base64: %w", err)
	}
	return salt, digest, nil
}

// digestOf digests a text as the kind of a hash says.
func digestOf(encoded string, text []byte) []byte {
	switch strings.Split(encoded, "$")[1] {
	case "ssha256":
		sum := sha256.Sum256(text)
		return sum[:]
	case "ssha512":
		sum := sha512.Sum512(text)
		return sum[:]
	default:
		sum := sha1.Sum(text) // #nosec G401 -- hashes that others made
		return sum[:]
	}
}

func compared(got, want []byte) verifier.Result {
	if subtle.ConstantTimeCompare(got, want) != 1 {
		return verifier.Fail
	}
	return verifier.OK
}
