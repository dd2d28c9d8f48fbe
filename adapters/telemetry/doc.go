// Package telemetry is what operators see of a running process: Prometheus
// metrics and, when a collector is named, OpenTelemetry traces. No label and no
// attribute comes from a client's text but the names of commands that exist.
package telemetry
