package passkey

import (
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
)

const (
	// maxKey is how long a COSE_Key may be, in bytes; one of RSA with 4096 bits has
	// about 530.
	maxKey = 640
	// maxModulus is how long the modulus of a certificate's RSA key may be, in bits.
	maxModulus = 4096
)

var (
	errFormat = errors.New("unsupported attestation format")
	errLarge  = errors.New("the key is too large")
)

// formats returns those of attestations that are taken: not those that hold others, nor
// that of a service which has ended.
func formats() []protocol.AttestationFormat {
	return []protocol.AttestationFormat{
		protocol.AttestationFormatNone, protocol.AttestationFormatPacked, protocol.AttestationFormatTPM,
		protocol.AttestationFormatAndroidKey, protocol.AttestationFormatFIDOUniversalSecondFactor, protocol.AttestationFormatApple,
	}
}

// bounded fails when a signature of the attestation would take long to verify.
func bounded(object *protocol.AttestationObject) error {
	if !slices.Contains(formats(), protocol.AttestationFormat(object.Format)) {
		return errFormat
	}
	if len(object.AuthData.AttData.CredentialPublicKey) > maxKey {
		return errLarge
	}
	certificates, _ := object.AttStatement["x5c"].([]any)
	for _, one := range certificates {
		raw, _ := one.([]byte)
		certificate, err := x509.ParseCertificate(raw)
		if err != nil {
			return err
		}
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > maxModulus {
			return errLarge
		}
	}
	return nil
}
