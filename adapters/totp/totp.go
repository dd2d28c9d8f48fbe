// Package totp makes the secrets, QR codes and one-time codes of authenticator apps
// with github.com/pquerna/otp. That library takes a replayed code, so it is asked
// for codes alone: which of them works, and how often, is the domain's to say.
package totp

import (
	"bytes"
	"fmt"
	"image/png"
	"net/url"
	"strings"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
)

// secretSize is that of a secret in bytes (RFC 4226 section 4, R6).
const secretSize = 20

// pixels is the width of a QR code.
const pixels = 256

// issuerLength is how much of an issuer is shown, in characters: with a longer one the
// QR code could not be read, or not be drawn.
const issuerLength = 40

// TOTP is a crypt.TOTP.
type TOTP struct{ Random outbound.Random }

// source reads from a source of random bytes.
type source struct{ random outbound.Random }

func (s source) Read(p []byte) (int, error) { return copy(p, s.random.Bytes(len(p))), nil }

// Invite makes a secret. A colon would end the issuer in the label of the address,
// so there is none in it.
func (t TOTP) Invite(issuer, account string) (crypt.TOTPInvitation, error) {
	issuer = strings.ReplaceAll(issuer, ":", ".")
	if letters := []rune(issuer); len(letters) > issuerLength {
		issuer = strings.TrimSpace(string(letters[:issuerLength-1])) + "…"
	}
	made, err := totp.Generate(totp.GenerateOpts{
		Issuer: issuer, AccountName: account,
		SecretSize: secretSize, Rand: source{t.Random}, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return crypt.TOTPInvitation{}, fmt.Errorf("create an authenticator app secret: %w", err)
	}
	key, err := otp.NewKeyFromURL(address(issuer, account, made.Secret()))
	if err != nil {
		return crypt.TOTPInvitation{}, fmt.Errorf("write the URL of a secret: %w", err)
	}
	picture, err := key.Image(pixels, pixels)
	if err != nil {
		return crypt.TOTPInvitation{}, fmt.Errorf("draw a QR code: %w", err)
	}
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, picture); err != nil {
		return crypt.TOTPInvitation{}, fmt.Errorf("write a QR code: %w", err)
	}
	return crypt.TOTPInvitation{Secret: secret.Shown(key.Secret()), URL: secret.Shown(key.URL()), PNG: drawn.Bytes()}, nil
}

// address returns what a QR code holds. The library leaves & and + in the issuer as they
// are, which end it there; and apps take + for itself, not for a space.
func address(issuer, account, key string) string {
	named := strings.ReplaceAll(url.QueryEscape(issuer), "+", "%20")
	return "otpauth://totp/" + url.PathEscape(issuer) + ":" + url.PathEscape(account) +
		"?secret=" + key + "&issuer=" + named + "&algorithm=SHA1&digits=6&period=30"
}

// Code computes one.
func (TOTP) Code(key string, step int64) string {
	if step < 0 {
		return ""
	}
	code, err := hotp.GenerateCodeCustom(key, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
	if err != nil {
		return ""
	}
	return code
}
