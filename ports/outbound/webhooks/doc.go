// Package webhooks holds the ports of what tells others of events: the feed, endpoints and
// deliveries.
package webhooks
