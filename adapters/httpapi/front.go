package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
)

// front is the outermost handler: it assigns request IDs, sets common headers, answers
// preflight requests, recovers from panics and writes the access log.
type front struct {
	next    http.Handler
	answers *answers
	cors    cors
	// fixed are headers with the same value in every response. The slices are shared by
	// all requests and must not be modified.
	fixed  []fixedHeader
	mint   func() string
	clock  outbound.Clock
	logger *slog.Logger
	flight inFlight
	// clients determines whose share of the memory for bodies a request uses.
	clients addresses
}

type fixedHeader struct {
	name  string
	value []string
}

// fixedHeaders returns the headers of every response. They prevent framing and content
// sniffing by other sites. Public responses override Cache-Control.
func fixedHeaders(https bool) []fixedHeader {
	fixed := []fixedHeader{
		{"X-Content-Type-Options", []string{"nosniff"}},
		{"Referrer-Policy", []string{"no-referrer"}},
		{"X-Frame-Options", []string{"DENY"}},
		{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
		{"Cache-Control", []string{"no-store"}},
	}
	if https {
		fixed = append(fixed, fixedHeader{"Strict-Transport-Security", []string{"max-age=31536000; includeSubDomains"}})
	}
	return fixed
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = withPathAsSent(r)
	out := &recorder{ResponseWriter: w}
	header := w.Header()
	for _, fixed := range f.fixed {
		header[fixed.name] = fixed.value
	}
	header["X-Request-Id"] = f.number(r)
	if f.logger.Enabled(r.Context(), slog.LevelDebug) {
		defer f.access(out, r, f.clock.Now())
	}
	out.body.meter(w, r, f)
	defer func() {
		out.body.done()
		f.answerPanic(out, r, recover())
	}()
	if f.cors.apply(header, r) {
		out.WriteHeader(http.StatusNoContent)
		return
	}
	f.next.ServeHTTP(out, r)
}

// withPathAsSent returns a request whose path is the one that was sent, not decoded. No
// path of the service needs percent-encoding, so an encoded variant of one is another
// path. Proxies and firewalls that filter by path can't be bypassed by it.
func withPathAsSent(r *http.Request) *http.Request {
	if r.URL.RawPath == "" {
		return r
	}
	target := *r.URL
	target.Path, target.RawPath = target.RawPath, ""
	sent := r.WithContext(r.Context())
	sent.URL = &target
	return sent
}

// number returns the client's request ID if it is valid, else a new one.
func (f *front) number(r *http.Request) []string {
	if sent := r.Header["X-Request-Id"]; len(sent) == 1 && isRequestID(sent[0]) {
		return sent
	}
	return []string{f.mint()}
}

// isRequestID matches ^[A-Za-z0-9._:-]{1,128}$.
func isRequestID(id string) bool {
	const longest = 128
	if id == "" || len(id) > longest {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == '_', c == ':', c == '-':
		default:
			return false
		}
	}
	return true
}

// requestID returns the ID set by front.
func requestID(w http.ResponseWriter) string {
	if ids := w.Header()["X-Request-Id"]; len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// answerPanic responds to a panic with an internal error. If the response has started,
// it closes the connection, so that the response does not look complete.
func (f *front) answerPanic(out *recorder, r *http.Request, caught any) {
	if caught == nil {
		return
	}
	if caught == http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
		panic(caught)
	}
	cause := fmt.Errorf("panic: %v\n%s", caught, debug.Stack())
	if out.status != 0 {
		f.logger.ErrorContext(r.Context(), "panic while answering", "request_id", requestID(out), "error", cause)
		panic(http.ErrAbortHandler)
	}
	f.answers.refuse(out, r, "", fault.New(fault.Internal, "").Because(cause))
}

// access logs a request, without query, headers or bodies.
func (f *front) access(out *recorder, r *http.Request, began time.Time) {
	f.logger.DebugContext(r.Context(), "request",
		"request_id", requestID(out), "method", r.Method, "path", r.URL.Path,
		"status", out.status, "bytes", out.bytes, "took", f.clock.Now().Sub(began))
}

// recorder records the status and size of a response.
type recorder struct {
	http.ResponseWriter

	// status is 0 until the header is written.
	status int
	bytes  int64
	body   body
}

// WriteHeader records the first final status.
func (o *recorder) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body.
func (o *recorder) Write(body []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	n, err := o.ResponseWriter.Write(body)
	o.bytes += int64(n)
	return n, err
}

// Unwrap supports http.ResponseController.
func (o *recorder) Unwrap() http.ResponseWriter { return o.ResponseWriter }
