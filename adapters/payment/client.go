package payment

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound"
)

const (
	// maxRetries is how many times a failed call is made again.
	maxRetries = 2
	// defaultPause is the pause before the first retry, and twice that before the second, unless
	// Options say otherwise. A longer Retry-After than maxRetryAfter is not waited for.
	defaultPause  = 200 * time.Millisecond
	maxRetryAfter = 3 * time.Second
	// maxFailures in a row open the circuit for openTime.
	maxFailures = 5
	openTime    = 30 * time.Second
	// maxResponse is the maximum size of a response body, in bytes.
	maxResponse = 16 << 20
	// maxIdle is the number of idle connections that are kept.
	maxIdle = 8
)

// Errors of calls.
var (
	// ErrCircuit says that the circuit is open: the last calls failed, and the processor is not called
	// for some time.
	ErrCircuit = errors.New("the payment processor keeps failing: calls resume in a few seconds")

	errLarge = errors.New("the response is larger than 16 MiB")
	errMoved = errors.New("the payment processor redirects")
)

// keyHeaders returns the headers of idempotency keys. A call that has one of them, or that only reads,
// may be retried after any failure.
func keyHeaders() []string {
	return []string{"Idempotency-Key", "Paypal-Request-Id"}
}

// keyed is the idempotency key of a call, and the header that carries it.
type keyed struct{ header, key string }

type keyedContext struct{}

// Keyed returns a context whose calls carry an idempotency key in a header. It is for libraries that do
// not take a key for each call.
func Keyed(ctx context.Context, header, key string) context.Context {
	return context.WithValue(ctx, keyedContext{}, keyed{header, key})
}

// Client returns the HTTP client for calls to one processor. A call takes at most billing.CallTime,
// including two retries; after five failures in a row a circuit breaker refuses calls for 30 seconds.
// If the options have a BaseURL, all calls go there in place of the processor's own address.
func Client(o Options) *http.Client {
	patience := cmp.Or(o.Patience, billing.CallTime)
	dialer := &net.Dialer{Timeout: patience}
	through := &transport{clock: o.Clock, pause: cmp.Or(o.Pause, defaultPause), next: &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute,
	}}
	if o.BaseURL != "" {
		// The configuration was validated.
		through.base, _ = url.Parse(o.BaseURL)
	}
	return &http.Client{
		Timeout: patience, Transport: through,
		CheckRedirect: refuseRedirect,
	}
}

// refuseRedirect follows no redirect.
func refuseRedirect(*http.Request, []*http.Request) error { return errMoved }

// transport sends calls, with retries and a circuit breaker.
type transport struct {
	next  http.RoundTripper
	base  *url.URL
	clock outbound.Clock
	pause time.Duration

	mu     sync.Mutex
	failed int
	until  time.Time
}

// RoundTrip sends a call, and retries it if that is safe. It fails with ErrCircuit.
func (c *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := content(r)
	if err != nil {
		return nil, err
	}
	if by, ok := r.Context().Value(keyedContext{}).(keyed); ok {
		r = r.Clone(r.Context())
		r.Header.Set(by.header, by.key)
	}
	if !c.allow() {
		return nil, ErrCircuit
	}
	for n := 0; ; n++ {
		answer, err := c.next.RoundTrip(c.request(r, body))
		wait, again := c.retry(r, answer, err, n)
		if !again {
			return c.finish(r, answer, err)
		}
		if answer != nil {
			_ = answer.Body.Close()
		}
		if err := sleep(r.Context(), wait); err != nil {
			c.count(r, false)
			return nil, err
		}
	}
}

// content reads the body of a request, so that it can be sent more than once.
func content(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read the body of a request: %w", err)
	}
	return body, nil
}

func (c *transport) request(r *http.Request, body []byte) *http.Request {
	sent := r.Clone(r.Context())
	if body != nil {
		sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	if c.base != nil {
		sent.URL.Scheme, sent.URL.Host, sent.Host = c.base.Scheme, c.base.Host, ""
		sent.URL.Path, sent.URL.RawPath = c.base.Path+r.URL.Path, ""
	}
	return sent
}

// retry returns the pause before the next try of a call that was made n times again, and reports whether
// there is one. A call refused with 429 (RFC 6585 section 4) had no effect; after other failures only
// idempotent calls are retried.
func (c *transport) retry(r *http.Request, answer *http.Response, err error, n int) (time.Duration, bool) {
	limited := err == nil && answer.StatusCode == http.StatusTooManyRequests
	broken := err != nil || answer.StatusCode >= http.StatusInternalServerError
	if n == maxRetries || r.Context().Err() != nil || (!limited && (!broken || !idempotent(r))) {
		return 0, false
	}
	wait := c.pause << n
	if err == nil {
		if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			wait = time.Duration(seconds) * time.Second
		}
	}
	return wait, wait <= maxRetryAfter
}

// idempotent reports whether a call that is made twice has its effect once.
func idempotent(r *http.Request) bool {
	for _, name := range keyHeaders() {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// allow reports whether a call may be made. After openTime an open circuit lets one call through.
func (c *transport) allow() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed < maxFailures {
		return true
	}
	now := c.clock.Now()
	if now.Before(c.until) {
		return false
	}
	c.until = now.Add(openTime)
	return true
}

// count counts the outcome of a call for the circuit breaker. A call that its caller canceled does not
// count.
func (c *transport) count(r *http.Request, answered bool) {
	if !answered && errors.Is(r.Context().Err(), context.Canceled) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answered {
		c.failed = 0
		return
	}
	c.failed++
	c.until = c.clock.Now().Add(openTime)
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish counts a call that is not retried: at once if it failed, or else when its response has been read.
func (c *transport) finish(r *http.Request, answer *http.Response, err error) (*http.Response, error) {
	failed := err != nil || answer.StatusCode >= http.StatusInternalServerError
	if failed {
		c.count(r, false)
	}
	if err == nil {
		answer.Body = &limitedBody{ReadCloser: answer.Body, left: maxResponse, counted: failed, count: func(answered bool) { c.count(r, answered) }}
	}
	return answer, err
}

// limitedBody is the body of a response. Reading it fails with errLarge if it is longer than maxResponse.
type limitedBody struct {
	io.ReadCloser

	left    int
	counted bool
	count   func(answered bool)
}

// Read implements io.Reader.
func (b *limitedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, errLarge
	}
	if err != nil {
		b.ended(errors.Is(err, io.EOF))
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.ended(true)
	return b.ReadCloser.Close()
}

// ended counts the call once.
func (b *limitedBody) ended(well bool) {
	if !b.counted {
		b.counted = true
		b.count(well)
	}
}
