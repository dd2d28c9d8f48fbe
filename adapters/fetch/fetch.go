// Package fetch gets small documents from addresses that users chose, such as the
// JWK Set of an app.
//
// # Decision
//
// Context: such an address may be one of ours, of the cloud's metadata service, or
// one that changes between a check and the call.
//
// Choice: the guard stands in the dialer, where the address is the one that is
// connected to, after every look-up of the name. No proxy is asked, because it
// would connect in our place; no redirect is followed, because nobody registered
// where it leads.
//
// What would change our mind: deployments whose way out is a proxy alone; then the
// proxy has to guard.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound"
)

const (
	// patience bounds a whole fetch, largest a body in bytes.
	patience = 5 * time.Second
	largest  = 256 << 10
)

// Errors of a fetch.
var (
	errScheme = errors.New("only https URLs can be fetched")
	errStatus = errors.New("the response status is not 200")
	errSize   = errors.New("the response is too large")
)

// Options are what development and tests change.
type Options struct {
	// Loopback lets addresses of this machine through, by http too.
	Loopback bool
	// Roots are the certificates to trust; nil are those of the system.
	Roots *x509.CertPool
}

// Client fetches documents.
type Client struct {
	http  *http.Client
	guard Guard
	// loopback is Options.Loopback.
	loopback bool
}

var (
	_ outbound.Fetcher      = (*Client)(nil)
	_ outbound.AddressGuard = (*Client)(nil)
)

// New makes a client.
func New(o Options) *Client {
	through := None
	if o.Loopback {
		through = Loopback
	}
	guard := NewGuard(through)
	return &Client{guard: guard, loopback: o.Loopback, http: &http.Client{
		Timeout:       patience,
		Transport:     guard.transport(&net.Dialer{Timeout: patience}, patience, o.Roots),
		CheckRedirect: stay,
	}}
}

// transport connects to what the guard lets through alone.
func (g Guard) transport(dialer *net.Dialer, answer time.Duration, roots *x509.CertPool) *http.Transport {
	dialer.Control = g.guardian.Safe
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout: dialer.Timeout, ResponseHeaderTimeout: answer, MaxResponseHeaderBytes: 32 << 10,
		DisableKeepAlives: true,
	}
}

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (c *Client) parse(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil {
		return nil, errScheme
	}
	if parsed.Scheme != "https" && (parsed.Scheme != "http" || !c.loopback || !app.Loopback(parsed.Hostname())) {
		return nil, errScheme
	}
	return parsed, nil
}

// Fetch returns the body of a GET that was answered with 200, of at most 256 KiB, in
// at most 5 seconds.
func (c *Client) Fetch(ctx context.Context, address string) ([]byte, error) {
	_, body, err := c.get(ctx, address, "application/jwk-set+json, application/json", largest)
	return body, err
}

// get returns header and body of a GET that was answered with 200.
func (c *Client) get(ctx context.Context, address, accept string, most int64) (http.Header, []byte, error) {
	parsed, err := c.parse(address)
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, parsed.String(), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "gatehouse")
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%w but %d", errStatus, answer.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read the response: %w", err)
	case int64(len(body)) > most:
		return nil, nil, errSize
	}
	return answer.Header, body, nil
}
