package paypal

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	paypaladapter "gatehouse.internal/adapters/payment/paypal"
)

// signer signs hooks.
type signer struct {
	key   *rsa.PrivateKey
	chain []byte
}

// named makes a signer whose certificate has a name and leads to a root of its own.
func named(name string) signer {
	const bits, years = 2048, 20
	from := time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	of := func(name string, authority bool) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(from.Unix()), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: from.AddDate(years, 0, 0),
			BasicConstraintsValid: true, IsCA: authority, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		}
	}
	root, leaf := of("Root of the tests", true), of(name, false)
	above, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	var chain []byte
	for _, one := range []struct {
		of, by *x509.Certificate
		key    any
	}{{leaf, root, &key.PublicKey}, {root, root, &above.PublicKey}} {
		der, err := x509.CreateCertificate(rand.Reader, one.of, one.by, one.key, above)
		if err != nil {
			panic(err)
		}
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return signer{key, chain}
}

// certificates are those that can be fetched, by the ends of their addresses.
var certificates = sync.OnceValue(func() map[string]signer {
	return map[string]signer{
		"CERT-1": named("messageverificationcerts.sandbox.paypal.com"),
		"CERT-2": named("messageverificationcerts.paypal.com.example.com"),
	}
})

func (*Server) certify(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		http.Error(w, "no token is for here", http.StatusBadRequest)
		return
	}
	one, known := certificates()[strings.TrimPrefix(r.URL.Path, "/v1/notifications/certs/")]
	if !known {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(one.chain)
}

// Signing is how a hook is signed.
type Signing struct {
	// Webhook is to whom, Certificate and Address by what: the address says where that is.
	Webhook, Certificate, Address string
	At                            time.Time
}

// Usual is how PayPal signs.
func Usual(now time.Time) Signing {
	return Signing{webhook, "CERT-1", "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1", now}
}

// Elsewhere is how PayPal signs for the webhook of the other mode.
func Elsewhere(now time.Time) Signing {
	by := Usual(now)
	by.Webhook = elsewhere
	return by
}

// Sign returns the headers of a hook with a body.
func (by Signing) Sign(body []byte) http.Header {
	const id = "69cd13f0-d67a-11e5-baa3-778b53f4ae55"
	stamped := by.At.UTC().Format(time.RFC3339)
	sum := sha256.Sum256(paypaladapter.Signed(id, stamped, by.Webhook, body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, certificates()[by.Certificate].key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return http.Header{
		paypaladapter.IDHeader: {id}, paypaladapter.TimeHeader: {stamped}, paypaladapter.SignatureHeader: {base64.StdEncoding.EncodeToString(signature)},
		paypaladapter.CertificateHeader: {by.Address}, paypaladapter.AlgorithmHeader: {paypaladapter.Algorithm},
	}
}
