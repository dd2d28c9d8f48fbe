package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Client returns the address that the service takes a request to come from.
type Client func(*http.Request) netip.Addr

// Wrap puts a handler behind a tracer.
type Wrap func(http.Handler, Client) http.Handler

// Shutdown sends what is still waiting and ends; it stops at the context's end.
type Shutdown func(context.Context) error

// Tracing sends traces of HTTP requests to a collector. Without one nothing is traced
// and wrap gives its handler back.
// Nothing is registered globally. A span tells method, path and status, the command and
// its code, never a query, a body or a header but host and those of the caller's trace.
// It identifies the client by address and user agent only if Collector.Clients is set.
// Probes and scrapes make none.
func Tracing(ctx context.Context, to Collector, logger *slog.Logger, service, version string) (Shutdown, Wrap, error) {
	if to.Endpoint == "" {
		nothing := func(context.Context) error { return nil }
		return nothing, func(next http.Handler, _ Client) http.Handler { return next }, nil
	}
	uploader, err := to.uploader(logger)
	if err != nil {
		return nil, nil, err
	}
	var exporter sdk.SpanExporter
	if exporter, err = otlptrace.New(ctx, uploader); err != nil {
		return nil, nil, fmt.Errorf("start the exporter of traces: %w", err)
	}
	if !to.Clients {
		exporter = anonymizing{exporter}
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service), attribute.String("service.version", version),
		)),
	)
	wrap := func(next http.Handler, client Client) http.Handler {
		return otelhttp.NewHandler(believing(client, next), "http",
			otelhttp.WithTracerProvider(provider),
			otelhttp.WithPropagators(propagation.TraceContext{}),
			otelhttp.WithFilter(traced),
			otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return "HTTP " + r.Method }),
		)
	}
	return provider.Shutdown, wrap, nil
}

// believing has a span name the client that the service believes in: the library takes
// it from X-Forwarded-For, whoever sent that.
func believing(client Client, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("client.address", client(r).String()))
		next.ServeHTTP(w, r)
	})
}

// describe adds the command and its outcome to the span of a request: all commands
// have the same path.
func describe(ctx context.Context, name, code string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(attribute.String("gatehouse.command", name), attribute.String("gatehouse.code", code))
	}
}

// traced leaves out what machines ask every few seconds.
func traced(r *http.Request) bool { return r.URL.Path != "/health" && r.URL.Path != "/metrics" }
