// Package webhooks stores the feed of events, the endpoints that are told of them, and what
// was delivered to those.
package webhooks
