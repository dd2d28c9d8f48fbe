package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Wrap puts a handler behind a tracer.
type Wrap func(http.Handler) http.Handler

// Shutdown sends what is still waiting and ends; it stops at the context's end.
type Shutdown func(context.Context) error

// Tracing sends traces of HTTP requests to the collector at an endpoint
// (OTEL_EXPORTER_OTLP_ENDPOINT: an http or https address, to which /v1/traces is
// added). Without an endpoint nothing is traced and wrap gives its handler back.
// Nothing is registered globally. A span tells method, path and status, the command
// and its code, never a query, a body or a header but the user agent; probes and
// scrapes make none.
func Tracing(ctx context.Context, endpoint, service, version string) (Shutdown, Wrap, error) {
	if endpoint == "" {
		nothing := func(context.Context) error { return nil }
		return nothing, func(next http.Handler) http.Handler { return next }, nil
	}
	target, err := tracesAt(endpoint)
	if err != nil {
		return nil, nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(target))
	if err != nil {
		return nil, nil, fmt.Errorf("start the exporter of traces: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service), attribute.String("service.version", version),
		)),
	)
	wrap := func(next http.Handler) http.Handler {
		return otelhttp.NewHandler(next, "http",
			otelhttp.WithTracerProvider(provider),
			otelhttp.WithPropagators(propagation.TraceContext{}),
			otelhttp.WithFilter(traced),
			otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return "HTTP " + r.Method }),
		)
	}
	return provider.Shutdown, wrap, nil
}

// describe tells the span of a request which command it was and how that ended:
// all of them have one path.
func describe(ctx context.Context, name, code string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(attribute.String("gatehouse.command", name), attribute.String("gatehouse.code", code))
	}
}

// traced leaves out what machines ask every few seconds.
func traced(r *http.Request) bool { return r.URL.Path != "/health" && r.URL.Path != "/metrics" }

// CheckEndpoint fails when Tracing would not take an endpoint.
func CheckEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	_, err := tracesAt(endpoint)
	return err
}

// tracesAt gives the address that takes traces (OTLP/HTTP). Its errors do not
// quote the endpoint, which may hold a password.
func tracesAt(endpoint string) (string, error) {
	target, err := url.Parse(endpoint)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return "", errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector: set it to an http or https address, such as http://localhost:4318")
	}
	const path = "/v1/traces"
	if !strings.HasSuffix(target.Path, path) {
		target.Path = strings.TrimRight(target.Path, "/") + path
	}
	return target.String(), nil
}
