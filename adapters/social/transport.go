package social

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// defaultPatience bounds everything that one call here asks a provider.
	defaultPatience = 10 * time.Second
	// largest is how long an answer may be, in bytes.
	largest = 256 << 10
	// idle is how many connections are kept to each host.
	idle = 8
)

var errLarge = errors.New("the response is larger than 256 KiB")

// newTransport makes the connections to providers.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: defaultPatience}
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: defaultPatience, ResponseHeaderTimeout: defaultPatience, MaxResponseHeaderBytes: 32 << 10,
		MaxIdleConnsPerHost: idle, IdleConnTimeout: time.Minute,
	}
}

// carrier carries the requests of one call, whatever context the library made
// them with.
type carrier struct {
	// ctx is kept because goth makes requests without one.
	ctx  context.Context
	next http.RoundTripper
	base *url.URL
}

// client returns the HTTP client of one call. It follows no redirect: a provider's
// API sends nobody elsewhere.
func (c carrier) client() *http.Client {
	return &http.Client{
		Transport:     c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip sends a request.
func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(c.ctx)
	query := sent.URL.Query()
	if token := query.Get("access_token"); token != "" {
		query.Del("access_token")
		sent.URL.RawQuery = query.Encode()
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	sent.URL, sent.Host = elsewhere(sent.URL, c.base), ""
	sent.Header.Set("User-Agent", "gatehouse")
	answer, err := c.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	if answer.ContentLength > largest {
		_ = answer.Body.Close()
		return nil, errLarge
	}
	answer.Body = &limitedBody{ReadCloser: answer.Body, left: largest}
	return answer, nil
}

// elsewhere returns an address at another host, without a host the same.
func elsewhere(address, base *url.URL) *url.URL {
	if base == nil {
		return address
	}
	moved := *address
	moved.Scheme, moved.Host, moved.Path, moved.RawPath = base.Scheme, base.Host, base.Path+address.Path, ""
	return &moved
}

// limitedBody is a body that fails when it is too long.
type limitedBody struct {
	io.ReadCloser

	left int
}

// Read reads on while the bound is not passed.
func (b *limitedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, errLarge
	}
	return n, err
}

// harmless rids an error of the address that was asked, which may hold a token.
func harmless(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%s: %w", wrapped.Op, wrapped.Err)
	}
	return err
}
