// Package totp makes the secrets, QR codes and one-time codes of authenticator apps
// with github.com/pquerna/otp. That library takes a replayed code, so it is asked
// for codes alone: which of them works, and how often, is the domain's to say.
package totp

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// secretSize is that of a secret in bytes (RFC 4226 section 4, R6).
const secretSize = 20

// pixels is the width of a QR code.
const pixels = 256

// TOTP is an outbound.TOTP.
type TOTP struct{ Random outbound.Random }

// source reads from a source of random bytes.
type source struct{ random outbound.Random }

func (s source) Read(p []byte) (int, error) { return copy(p, s.random.Bytes(len(p))), nil }

// Invite makes a secret. A colon would end the issuer in the label of the address,
// so there is none in it.
func (t TOTP) Invite(issuer, account string) (outbound.TOTPInvitation, error) {
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: strings.ReplaceAll(issuer, ":", "."), AccountName: account,
		SecretSize: secretSize, Rand: source{t.Random}, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return outbound.TOTPInvitation{}, fmt.Errorf("make a secret for an app: %w", err)
	}
	picture, err := key.Image(pixels, pixels)
	if err != nil {
		return outbound.TOTPInvitation{}, fmt.Errorf("draw a QR code: %w", err)
	}
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, picture); err != nil {
		return outbound.TOTPInvitation{}, fmt.Errorf("write a QR code: %w", err)
	}
	return outbound.TOTPInvitation{Secret: secret.Shown(key.Secret()), URL: secret.Shown(key.URL()), PNG: drawn.Bytes()}, nil
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
