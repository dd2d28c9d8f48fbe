// Package telemetry is what operators see of a running process: Prometheus
// metrics and, when a collector is named, OpenTelemetry traces. No label and no
// attribute comes from a client's text but the names of commands that exist.
//
// # Decision
//
// Context: the exporter of OpenTelemetry for OTLP over HTTP, otlptracehttp 1.47,
// imports gRPC: 93 packages more, 66 of them gRPC's, and 1.9 MB of program.
// Choice: spans are encoded by its parent otlptrace, and sent here by net/http, as the
// protocol's page on OTLP/HTTP says.
// What would change our mind: an exporter without gRPC.
package telemetry
