package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

const (
	// connectTime bounds connecting.
	connectTime = 5 * time.Second
	// readUpTo is how much of an answer is read, keptUpTo how much of that is kept.
	readUpTo = 64 << 10
	keptUpTo = 4 << 10
	// idleFor is how long a connection to a receiver is kept for the next message.
	idleFor = 30 * time.Second
	perHost = 10
)

// SenderOptions are what modes and tests change.
type SenderOptions struct {
	// Through are the addresses that are let through beside public ones.
	Through Inward
	// HTTP lets messages go without TLS.
	HTTP bool
	// Timeout bounds an attempt; 0 stands for webhook.Timeout.
	Timeout time.Duration
	// Roots are the certificates to trust; nil are those of the system.
	Roots *x509.CertPool
	// Resolver looks names up; nil is that of the system.
	Resolver *net.Resolver
	// Version is that of the program, which it tells receivers.
	Version string
}

// Sender posts webhooks.
type Sender struct {
	http    *http.Client
	guard   Guard
	options SenderOptions
}

var _ webhooks.Sender = (*Sender)(nil)

// NewSender makes a sender.
func NewSender(o SenderOptions) *Sender {
	if o.Timeout == 0 {
		o.Timeout = webhook.Timeout
	}
	guard := NewGuard(o.Through)
	transport := guard.transport(&net.Dialer{Timeout: min(connectTime, o.Timeout), Resolver: o.Resolver}, o.Timeout, o.Roots)
	transport.DisableKeepAlives, transport.IdleConnTimeout = false, idleFor
	transport.MaxIdleConnsPerHost, transport.DisableCompression = perHost, true
	return &Sender{guard: guard, options: o, http: &http.Client{Timeout: o.Timeout, Transport: transport, CheckRedirect: stay}}
}

// Close ends the connections that nothing uses.
func (s *Sender) Close() { s.http.CloseIdleConnections() }

// Errors of addresses.
var (
	errAddress = errors.New("must be a URL without user info and fragment, such as https://api.example.com/hooks")
	errPlain   = errors.New("must start with https://")
	errInward  = errors.New("must not point to this machine or a private network")
)

// unfitError is an address that nothing may be sent to.
type unfitError struct{ error }

// Check reads an address as it is read when something is sent.
func (s *Sender) Check(address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "" || parsed.Hostname() == "" || parsed.User != nil || parsed.Fragment != "" || parsed.Opaque != "":
		return errAddress
	case parsed.Scheme == "http" && !s.options.HTTP, parsed.Scheme != "http" && parsed.Scheme != "https":
		return errPlain
	}
	if err := port(parsed); err != nil {
		return err
	}
	if s.guard.host(parsed.Hostname()) != nil {
		return errInward
	}
	return nil
}

// Send posts a message. What went wrong is told in words that hold nothing of this network.
func (s *Sender) Send(ctx context.Context, to webhook.Snapshot, message webhook.Message, at time.Time) webhook.Attempt {
	attempt := webhook.Attempt{At: at}
	began := time.Now() //nolint:forbidigo // measures, decides nothing
	err := s.post(ctx, to, message, at, &attempt)
	attempt.Duration = time.Since(began) //nolint:forbidigo // likewise
	if err != nil {
		attempt.Error = explain(err)
	}
	return attempt
}

func (s *Sender) post(ctx context.Context, to webhook.Snapshot, message webhook.Message, at time.Time, attempt *webhook.Attempt) error {
	if err := s.Check(to.URL); err != nil {
		return unfitError{err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(message.Body))
	if err != nil {
		return errAddress
	}
	for name, value := range to.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Gatehouse-Webhooks/"+s.options.Version)
	request.Header.Set("Webhook-Id", message.ID)
	request.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	request.Header.Set("Webhook-Signature", to.Sign(message, at))
	answer, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	attempt.StatusCode = answer.StatusCode
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable {
		attempt.RetryAfter = retryAfter(answer.Header.Get("Retry-After"), at)
	}
	// What is longer is not read on: the connection ends with it.
	body, err := io.ReadAll(io.LimitReader(answer.Body, readUpTo))
	attempt.Excerpt = excerpt(body)
	if err != nil && !attempt.Succeeded() {
		return err
	}
	return nil
}

// excerpt returns the beginning of an answer as text.
func excerpt(body []byte) string {
	kept := strings.ToValidUTF8(string(body[:min(len(body), keptUpTo)]), "\uFFFD")
	return strings.ReplaceAll(kept, "\x00", "\uFFFD")
}

// retryAfter reads seconds or a date (RFC 9110 section 10.2.3).
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(time.Duration(max(0, min(seconds, 1<<20)))*time.Second, webhook.LongestWait)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(at.Sub(now), webhook.LongestWait))
	}
	return 0
}

// explain says what went wrong to the owner of an endpoint.
func explain(err error) string {
	var untrusted *tls.CertificateVerificationError
	var unknown *net.DNSError
	var late net.Error
	if unfit, is := errors.AsType[unfitError](err); is {
		return "the URL " + unfit.Error()
	}
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return "the URL points to this machine or a private network"
	case errors.As(err, &untrusted):
		return "the certificate of the receiver is not trusted"
	case errors.As(err, &unknown):
		return "the host name of the receiver was not found"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return "the receiver did not respond in time"
	case errors.Is(err, context.Canceled):
		return "the service was stopped"
	}
	return "the connection to the receiver failed"
}
