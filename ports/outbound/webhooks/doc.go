// Package webhooks defines the ports for publishing events: the feed, endpoints,
// deliveries, audit streams and the hash chain.
package webhooks
