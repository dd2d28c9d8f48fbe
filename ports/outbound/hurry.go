package outbound

import "context"

type (
	hurryKey   struct{}
	readingKey struct{}
)

// WithHurry returns a context of work that somebody waits for: rather than wait long for a
// store that is busy, it fails with a fault that says when to try again.
func WithHurry(ctx context.Context) context.Context {
	return context.WithValue(ctx, hurryKey{}, true)
}

// Hurried reports whether somebody waits for the work of a context.
func Hurried(ctx context.Context) bool { return ctx.Value(hurryKey{}) != nil }

// WithReading returns a context whose units of work change nothing, so that they do not wait
// for a store that is busy with a change. A unit of work that writes all the same may fail.
func WithReading(ctx context.Context, reading bool) context.Context {
	return context.WithValue(ctx, readingKey{}, reading)
}

// Reading reports whether the units of work of a context change nothing.
func Reading(ctx context.Context) bool {
	reading, _ := ctx.Value(readingKey{}).(bool)
	return reading
}
