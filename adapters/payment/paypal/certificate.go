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

// Names of the headers of hooks
// (https://developer.paypal.com/api/rest/webhooks/rest/#link-messagesignature).
const (
	IDHeader          = "Paypal-Transmission-Id"
	TimeHeader        = "Paypal-Transmission-Time"
	SignatureHeader   = "Paypal-Transmission-Sig"
	CertificateHeader = "Paypal-Cert-Url"
	AlgorithmHeader   = "Paypal-Auth-Algo"
	// Algorithm is the only one.
	Algorithm = "SHA256withRSA"
)

// Signed returns what is signed of a hook: its identifier, time, the webhook that it goes to and the
// checksum of its body.
func Signed(id, at, webhook string, body []byte) []byte {
	return fmt.Appendf(nil, "%s|%s|%s|%d", id, at, webhook, crc32.ChecksumIEEE(body))
}

// check fails with billing.ErrSignature unless a hook is signed by PayPal, for our webhook, at
// a time that is not further away than billing.SignatureAge.
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

// signers are the certificates that were found right, by their addresses.
type signers struct {
	mu    sync.Mutex
	known map[string]*x509.Certificate
	// asked counts the certificates that were asked for since a time.
	asked int
	since time.Time
	// asking is for each address one call, whose answer all take that wait for it.
	asking singleflight.Group
}

const (
	// questions is how many certificates are asked for in a minute: anybody may name any.
	questions = 10
	// most is how many certificates are known at once: PayPal has one, and one after that.
	most = 8
	// longestChain is how long a chain may be, in bytes.
	longestChain = 64 << 10
)

// places are the paths of certificates.
var places = regexp.MustCompile(`^/v1/notifications/certs/[A-Za-z0-9_-]{1,100}$`)

// signer returns the key of the certificate at an address. It fails with billing.ErrSignature
// for an address that is not PayPal's, for what is not PayPal's certificate, and where so many
// unknown ones were named that PayPal is not asked: what it told itself it tells again
// (https://developer.paypal.com/api/rest/webhooks/).
func (p *PayPal) signer(ctx context.Context, address string, now time.Time) (*rsa.PublicKey, error) {
	at, err := url.Parse(address)
	pinned := err == nil && at.Scheme == "https" && (at.Host == p.host("api") || at.Host == p.host("api-m"))
	if !pinned || at.User != nil || at.RawQuery != "" || at.Fragment != "" || !places.MatchString(at.EscapedPath()) {
		return nil, billing.ErrSignature
	}
	found := p.signers.of(address, now)
	if found == nil {
		if found, err = p.ask(ctx, address, now); err != nil {
			return nil, err
		}
	}
	key, ok := found.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, billing.ErrSignature
	}
	return key, nil
}

// ask asks for the certificate at an address, once for all that ask at the same time.
func (p *PayPal) ask(ctx context.Context, address string, now time.Time) (*x509.Certificate, error) {
	found, err, _ := p.signers.asking.Do(address, func() (any, error) {
		if known := p.signers.of(address, now); known != nil {
			return known, nil
		}
		if !p.signers.mayAsk(now) {
			return nil, billing.ErrSignature
		}
		// The client bounds the call; who waits for it too may stay when the first one leaves.
		one, err := p.certificate(context.WithoutCancel(ctx), address, now)
		if err == nil {
			p.signers.keep(address, one)
		}
		return one, err
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it is ours
	}
	return found.(*x509.Certificate), nil //nolint:forcetypeassert // there is nothing else
}

// of returns the certificate of an address that is known and valid; nil for none.
func (s *signers) of(address string, now time.Time) *x509.Certificate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.known[address]; found != nil && !now.After(found.NotAfter) {
		return found
	}
	return nil
}

// mayAsk reports whether one more certificate may be asked for, and counts it.
func (s *signers) mayAsk(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.since) >= time.Minute {
		s.since, s.asked = now, 0
	}
	s.asked++
	return s.asked <= questions
}

func (s *signers) keep(address string, one *x509.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= most {
		s.known = map[string]*x509.Certificate{}
	}
	s.known[address] = one
}

// certificate fetches a certificate, without our key, and checks its chain of trust.
func (p *PayPal) certificate(ctx context.Context, address string, now time.Time) (*x509.Certificate, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for a certificate: %w", err)
	}
	answer, err := p.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for a certificate: %w", err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode >= http.StatusInternalServerError, answer.StatusCode == http.StatusTooManyRequests:
		return nil, fmt.Errorf("ask for a certificate: %s", answer.Status) //nolint:err113 // it is shown to nobody
	case answer.StatusCode != http.StatusOK:
		return nil, billing.ErrSignature
	}
	content, err := io.ReadAll(io.LimitReader(answer.Body, longestChain))
	if err != nil {
		return nil, fmt.Errorf("read a certificate: %w", err)
	}
	return trusted(content, p.options.BaseURL != "", now)
}

// trusted returns the first certificate of a chain, which has to lead to a root that the system
// trusts, and to be PayPal's for this: as PayPal's own library demands of its subject
// (https://github.com/paypal/PayPal-Java-SDK, SSLUtil.validateCertificateChain). The stand-in
// of a development instance, which is given the secret key too, is trusted for its own root.
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
