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
	// repeats is how often a call is made again.
	repeats = 2
	// usualPause is before the first repetition, twice that before the second, unless Options
	// say otherwise; longest is what a processor may ask for with Retry-After.
	usualPause = 200 * time.Millisecond
	longest    = 3 * time.Second
	// failures in a row open the circuit for rest.
	failures = 5
	rest     = 30 * time.Second
	// largest is how long an answer may be, in bytes.
	largest = 16 << 20
	// idle is how many connections are kept.
	idle = 8
)

// Errors of calls.
var (
	// ErrCircuit says that the processor failed often, and is left alone for a while.
	ErrCircuit = errors.New("the processor failed again and again: it is called again in some seconds")

	errLarge = errors.New("the answer is longer than 16 MiB")
	errMoved = errors.New("the processor sends elsewhere")
)

// keyHeaders returns the headers by which processors know a call again. A call that has one of
// them, or that only reads, may be repeated whatever became of it.
func keyHeaders() []string {
	return []string{"Idempotency-Key", "Paypal-Request-Id"}
}

// keyed is what the context of a call holds that is made once for a key.
type keyed struct{ header, key string }

type keyedContext struct{}

// Keyed returns the context of a call that its processor is to know again by a key in a
// header. It is for libraries that do not take a key with each call.
func Keyed(ctx context.Context, header, key string) context.Context {
	return context.WithValue(ctx, keyedContext{}, keyed{header, key})
}

// Client returns the HTTP client for calls to one processor: 10 seconds a call, two
// repetitions, and a circuit that opens when it fails again and again. Where the options have
// a base, all calls go there in place of the processor's own address.
func Client(o Options) *http.Client {
	patience := cmp.Or(o.Patience, billing.CallTime)
	dialer := &net.Dialer{Timeout: patience}
	through := &carrier{clock: o.Clock, pause: cmp.Or(o.Pause, usualPause), next: &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost: idle, IdleConnTimeout: time.Minute,
	}}
	if o.BaseURL != "" {
		// Configuration lets only plain addresses pass.
		through.base, _ = url.Parse(o.BaseURL)
	}
	return &http.Client{
		Timeout: patience, Transport: through,
		CheckRedirect: stay,
	}
}

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error { return errMoved }

// carrier carries calls.
type carrier struct {
	next  http.RoundTripper
	base  *url.URL
	clock outbound.Clock
	pause time.Duration

	mu     sync.Mutex
	failed int
	until  time.Time
}

// RoundTrip makes a call, again where that may help. It fails with ErrCircuit.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := content(r)
	if err != nil {
		return nil, err
	}
	if by, ok := r.Context().Value(keyedContext{}).(keyed); ok {
		r = r.Clone(r.Context())
		r.Header.Set(by.header, by.key)
	}
	if !c.closed() {
		return nil, ErrCircuit
	}
	for n := 0; ; n++ {
		answer, err := c.next.RoundTrip(c.request(r, body))
		wait, again := c.repeat(r, answer, err, n)
		if !again {
			return c.end(r, answer, err)
		}
		if answer != nil {
			_ = answer.Body.Close()
		}
		if err := sleep(r.Context(), wait); err != nil {
			c.note(r, false)
			return nil, err
		}
	}
}

// content reads the body of a request, so that it can be sent again.
func content(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read what is to be sent: %w", err)
	}
	return body, nil
}

func (c *carrier) request(r *http.Request, body []byte) *http.Request {
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

// repeat reports whether a call is to be made again, and after how long. What was turned
// away (RFC 6585 section 4) had no effect; anything else is repeated under a key alone.
func (c *carrier) repeat(r *http.Request, answer *http.Response, err error, n int) (time.Duration, bool) {
	turnedAway := err == nil && answer.StatusCode == http.StatusTooManyRequests
	broken := err != nil || answer.StatusCode >= http.StatusInternalServerError
	if n == repeats || r.Context().Err() != nil || (!turnedAway && (!broken || !harmless(r))) {
		return 0, false
	}
	wait := c.pause << n
	if err == nil {
		if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			wait = time.Duration(seconds) * time.Second
		}
	}
	return wait, wait <= longest
}

// harmless reports whether a call that is made twice has its effect once.
func harmless(r *http.Request) bool {
	for _, name := range keyHeaders() {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// closed reports whether calls go through. Once an open circuit has rested, one call does.
func (c *carrier) closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed < failures {
		return true
	}
	now := c.clock.Now()
	if now.Before(c.until) {
		return false
	}
	c.until = now.Add(rest)
	return true
}

// note counts what became of a call. That its caller left tells nothing of the processor.
func (c *carrier) note(r *http.Request, answered bool) {
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
	c.until = c.clock.Now().Add(rest)
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

// end counts a call that is not made again: at once where it failed, else when its answer was
// read.
func (c *carrier) end(r *http.Request, answer *http.Response, err error) (*http.Response, error) {
	failed := err != nil || answer.StatusCode >= http.StatusInternalServerError
	if failed {
		c.note(r, false)
	}
	if err == nil {
		answer.Body = &bounded{ReadCloser: answer.Body, left: largest, noted: failed, note: func(answered bool) { c.note(r, answered) }}
	}
	return answer, err
}

// bounded is the body of an answer. Reading it fails where it is too long.
type bounded struct {
	io.ReadCloser

	left  int
	noted bool
	note  func(answered bool)
}

// Read reads on while the bound is not passed.
func (b *bounded) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, errLarge
	}
	if err != nil {
		b.ended(errors.Is(err, io.EOF))
	}
	return n, err
}

// Close ends the answer.
func (b *bounded) Close() error {
	b.ended(true)
	return b.ReadCloser.Close()
}

// ended counts the answer once.
func (b *bounded) ended(well bool) {
	if !b.noted {
		b.noted = true
		b.note(well)
	}
}
