package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/protobuf/proto"

	"gatehouse.internal/domain/wait"
)

const (
	// uploadTime is how long one try may take.
	uploadTime = 10 * time.Second
	// firstPause is how long a collector that is busy is left alone, if it does not
	// say; twice as long each time after.
	firstPause = time.Second
	// longestAnswer is how much of an answer is read, in bytes: so that the connection
	// can be used again.
	longestAnswer = 1 << 16
)

// Collector is where traces go.
type Collector struct {
	// Endpoint is an http or https address, to which /v1/traces is added
	// (OTEL_EXPORTER_OTLP_ENDPOINT); empty: nothing is traced.
	Endpoint string
	// Headers are sent along, name=value,name=value with values percent-encoded
	// (OTEL_EXPORTER_OTLP_HEADERS): hosted collectors take their key so.
	Headers string
	// Clients reports whether spans tell the address and the user agent of the client
	// (TRACE_CLIENTS).
	Clients bool
}

// Check fails when Tracing would not take the collector. Its errors quote neither the
// endpoint, which may hold a password, nor the headers.
func (c Collector) Check() error {
	if c.Endpoint == "" {
		return nil
	}
	_, err := c.uploader(nil)
	return err
}

// uploader sends batches of spans as OTLP/HTTP says (OpenTelemetry Protocol
// Specification, section OTLP/HTTP, binary encoding). The library's own sender brings
// all of gRPC along.
type uploader struct {
	target  string
	headers http.Header
	client  *http.Client
	logger  *slog.Logger
}

func (c Collector) uploader(logger *slog.Logger) (*uploader, error) {
	target, malformed := tracesAt(c.Endpoint)
	headers, err := headersOf(c.Headers)
	if err = errors.Join(malformed, err); err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	return &uploader{target, headers, &http.Client{Timeout: uploadTime, Transport: transport}, logger}, nil
}

// tracesAt returns the address that takes traces.
func tracesAt(endpoint string) (string, error) {
	target, err := url.Parse(endpoint)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return "", errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a valid collector URL: set it to an http or https URL, such as http://localhost:4318")
	}
	const path = "/v1/traces"
	if !strings.HasSuffix(target.Path, path) {
		target.Path = strings.TrimRight(target.Path, "/") + path
	}
	return target.String(), nil
}

var errHeaders = errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of headers: set it to name=value,name=value, with special characters percent-encoded")

func headersOf(list string) (http.Header, error) {
	headers := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errHeaders
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// Start implements otlptrace.Client.
func (*uploader) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. A collector that is busy is asked again
// until the context ends; what it refuses, or where it cannot be reached, is lost,
// which the log tells.
func (u *uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	if err := u.upload(ctx, spans); err != nil {
		u.logger.WarnContext(ctx, "failed to send traces", "cause", err)
	}
	return nil
}

// upload sends TracesData, which on the wire is what the protocol calls
// ExportTraceServiceRequest.
func (u *uploader) upload(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	for pause := firstPause; ; pause *= 2 {
		err := u.send(ctx, body)
		busy, ok := errors.AsType[*busyError](err)
		if !ok || wait.For(ctx, max(busy.pause, pause)) != nil {
			return err
		}
	}
}

// busyError is the answer of a collector that wants to be asked again.
type busyError struct {
	status string
	pause  time.Duration
}

// Error implements error.
func (e *busyError) Error() string {
	return "the collector is busy and responded with HTTP status " + e.status
}

// send fails with a busyError where the protocol says to try again.
func (u *uploader) send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make a request: %w", withoutAddress(err))
	}
	request.Header = u.headers.Clone()
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "gatehouse")
	answer, err := u.client.Do(request)
	if err != nil {
		return fmt.Errorf("send spans to the collector: %w", withoutAddress(err))
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.CopyN(io.Discard, answer.Body, longestAnswer)
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return &busyError{answer.Status, time.Duration(seconds) * time.Second}
	case http.StatusOK:
		return nil
	}
	return errors.New("the collector rejected spans with HTTP status " + answer.Status)
}

// withoutAddress leaves the address out of an error: it may hold a password.
func withoutAddress(err error) error {
	if whole, ok := errors.AsType[*url.Error](err); ok {
		return whole.Err
	}
	return err
}
