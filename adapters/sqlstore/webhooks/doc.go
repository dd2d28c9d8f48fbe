// Package webhooks stores the feed of events and the hash chain over it, webhook endpoints with their
// deliveries, and audit streams.
package webhooks
