package paypal

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gatehouse.internal/domain/billing"
)

// Names of the headers of webhooks
// (https://developer.paypal.com/api/rest/webhooks/rest/#link-messagesignature).
const (
	IDHeader          = "Paypal-Transmission-Id"
	TimeHeader        = "Paypal-Transmission-Time"
	SignatureHeader   = "Paypal-Transmission-Sig"
	CertificateHeader = "Paypal-Cert-Url"
	AlgorithmHeader   = "Paypal-Auth-Algo"
	// Algorithm is the only supported value of AlgorithmHeader.
	Algorithm = "SHA256withRSA"
)

// Signed returns the signed text of a webhook: its identifier, its time, the identifier of the endpoint, and the
// checksum of its body.
func Signed(id, at, webhook string, body []byte) []byte {
	return fmt.Appendf(nil, "%s|%s|%s|%d", id, at, webhook, crc32.ChecksumIEEE(body))
}

// check fails with billing.ErrSignature unless a webhook is signed by PayPal for our endpoint, with a time that
// differs from now by at most billing.SignatureAge.
func (p *PayPal) check(ctx context.Context, header http.Header, body []byte, now time.Time) error {
	stamped := header.Get(TimeHeader)
	at, err := time.Parse(time.RFC3339, stamped)
	signature, wrong := base64.StdEncoding.DecodeString(header.Get(SignatureHeader))
	webhook := p.options.WebhookSecret
	if err != nil || wrong != nil || webhook.Empty() || now.Sub(at).Abs() > billing.SignatureAge || header.Get(AlgorithmHeader) != Algorithm {
		return billing.ErrSignature
	}
	by, err := p.signer(ctx, header.Get(CertificateHeader), now)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(Signed(header.Get(IDHeader), stamped, webhook.Reveal(), body))
	if rsa.VerifyPKCS1v15(by, crypto.SHA256, sum[:], signature) != nil {
		return billing.ErrSignature
	}
	return nil
}

// signers is a cache of verified certificates by their addresses.
type signers struct {
	mu    sync.Mutex
	known map[string]*x509.Certificate
	// asked counts the certificates that were fetched since a time.
	asked int
	since time.Time
	// asking shares the fetch of an address among concurrent webhooks.
	asking singleflight.Group
}

const (
	// maxFetches is how many certificates are fetched in a minute: a forged webhook may name any.
	maxFetches = 10
	// maxCached is the size of the cache. PayPal uses one certificate, and another after a rotation.
	maxCached = 8
	// maxChain is the maximum size of a certificate chain, in bytes.
	maxChain = 64 << 10
)

// certificatePath matches the paths of certificates.
var certificatePath = regexp.MustCompile(`^/v1/notifications/certs/[A-Za-z0-9_-]{1,100}$`)

// signer returns the key of the certificate at an address. It fails with billing.ErrSignature for an address that is
// not PayPal's, for a certificate that is not valid, and if maxFetches is reached: PayPal sends genuine webhooks
// again (https://developer.paypal.com/api/rest/webhooks/).
func (p *PayPal) signer(ctx context.Context, address string, now time.Time) (*rsa.PublicKey, error) {
	at, err := url.Parse(address)
	pinned := err == nil && at.Scheme == "https" && (at.Host == p.host("api") || at.Host == p.host("api-m"))
	if !pinned || at.User != nil || at.RawQuery != "" || at.Fragment != "" || !certificatePath.MatchString(at.EscapedPath()) {
		return nil, billing.ErrSignature
	}
	found := p.signers.of(address, now)
	if found == nil {
		if found, err = p.fetchCertificate(ctx, address, now); err != nil {
			return nil, err
		}
	}
	key, ok := found.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, billing.ErrSignature
	}
	return key, nil
}

// fetchCertificate fetches the certificate at an address, once for concurrent calls.
func (p *PayPal) fetchCertificate(ctx context.Context, address string, now time.Time) (*x509.Certificate, error) {
	found, err, _ := p.signers.asking.Do(address, func() (any, error) {
		if known := p.signers.of(address, now); known != nil {
			return known, nil
		}
		if !p.signers.mayAsk(now) {
			return nil, billing.ErrSignature
		}
		// The client has a timeout. The other callers still wait if the context of the first one ends.
		one, err := p.certificate(context.WithoutCancel(ctx), address, now)
		if err == nil {
			p.signers.keep(address, one)
		}
		return one, err
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // the function above returned it
	}
	return found.(*x509.Certificate), nil //nolint:forcetypeassert // the function above returns no other type
}

// of returns the valid certificate of an address in the cache; nil for none.
func (s *signers) of(address string, now time.Time) *x509.Certificate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.known[address]; found != nil && !now.After(found.NotAfter) {
		return found
	}
	return nil
}

// mayAsk reports whether another certificate may be fetched, and counts it.
func (s *signers) mayAsk(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.since) >= time.Minute {
		s.since, s.asked = now, 0
	}
	s.asked++
	return s.asked <= maxFetches
}

func (s *signers) keep(address string, one *x509.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxCached {
		s.known = map[string]*x509.Certificate{}
	}
	s.known[address] = one
}

// certificate fetches a certificate, without credentials, and verifies its chain.
func (p *PayPal) certificate(ctx context.Context, address string, now time.Time) (*x509.Certificate, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("request a certificate: %w", err)
	}
	answer, err := p.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("request a certificate: %w", err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode >= http.StatusInternalServerError, answer.StatusCode == http.StatusTooManyRequests:
		return nil, fmt.Errorf("request a certificate: %s", answer.Status) //nolint:err113 // no caller distinguishes it
	case answer.StatusCode != http.StatusOK:
		return nil, billing.ErrSignature
	}
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxChain))
	if err != nil {
		return nil, fmt.Errorf("read a certificate: %w", err)
	}
	return trusted(content, p.options.BaseURL != "", now)
}

// trusted returns the first certificate of a chain. The chain has to lead to a root of the system, and the subject
// has to be the one that PayPal's own library requires for webhooks (https://github.com/paypal/PayPal-Java-SDK,
// SSLUtil.validateCertificateChain). standIn trusts the root of the chain itself: it is for the test double of a
// development instance, which receives the secret key as well.
func trusted(chain []byte, standIn bool, now time.Time) (*x509.Certificate, error) {
	var all []*x509.Certificate
	for block, rest := pem.Decode(chain); block != nil; block, rest = pem.Decode(rest) {
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, billing.ErrSignature
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, billing.ErrSignature
	}
	between := x509.NewCertPool()
	for _, one := range all[1:] {
		between.AddCert(one)
	}
	by := x509.VerifyOptions{Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	if standIn {
		by.Roots = x509.NewCertPool()
		by.Roots.AddCert(all[len(all)-1])
	}
	name := all[0].Subject.CommonName
	_, err := all[0].Verify(by)
	if err != nil || !strings.HasPrefix(name, "messageverificationcerts.") || !strings.HasSuffix(name, ".paypal.com") {
		return nil, billing.ErrSignature
	}
	return all[0], nil
}
