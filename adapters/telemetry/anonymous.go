package telemetry

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// anonymizing exports spans without what identifies clients. The library that traces
// requests adds it to every span.
type anonymizing struct{ sdk.SpanExporter }

// ExportSpans implements sdk.SpanExporter.
func (a anonymizing) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	anonymous := make([]sdk.ReadOnlySpan, len(spans))
	for i, span := range spans {
		anonymous[i] = anonymousSpan{span}
	}
	return a.SpanExporter.ExportSpans(ctx, anonymous)
}

// anonymousSpan is a span without what identifies the client.
type anonymousSpan struct{ sdk.ReadOnlySpan }

// Attributes implements sdk.ReadOnlySpan.
func (s anonymousSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(one attribute.KeyValue) bool {
		return identifiesClient(string(one.Key))
	})
}

// identifiesClient reports whether an attribute by the semantic conventions of
// OpenTelemetry tells who sent a request: its address, that of its peer, or its program.
func identifiesClient(key string) bool {
	return slices.ContainsFunc([]string{"client.", "network.peer.", "user_agent."}, func(group string) bool {
		return strings.HasPrefix(key, group)
	})
}
