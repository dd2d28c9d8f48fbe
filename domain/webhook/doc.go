// Package webhook is the model of telling others of events: endpoints that subscribe to
// kinds of events, and one delivery for each event that an endpoint is told of
// (contract section 9, spec/webhooks.md).
//
// # Endpoint (whk_)
//
// An endpoint belongs to a workspace, and is told of that one's events, or to the instance,
// and is told of all. It has an address, the kinds that it wants (names, resource.*, or *),
// headers of its own, and a secret by which each message is signed. When the secret is
// rotated, the one before signs beside it until its overlap has passed, so that a receiver
// may take over the new one at any moment in between. An endpoint that is switched off, by a
// person, by an answer 410, or after days of nothing but failures, is told of nothing.
//
// # Delivery (dlv_)
//
// A delivery is one event for one endpoint; there is at most one, whatever dies. Its
// identifier is the webhook-id of each of its messages, by which a receiver knows doubles.
//
//	pending ──▶ delivering ──▶ succeeded
//	               │  ▲
//	               ▼  │ 30 s, 5 min, 30 min, 1 h
//	             failed ──▶ dead (after five attempts, or with its endpoint)
//
// A replica claims a delivery for as long as an attempt may take and a while longer. Whoever
// finds that lease over takes the delivery: the one before may have died, and the receiver
// may get the message twice. A finished delivery begins anew when it is replayed.
//
// # Attempt
//
// Each attempt is kept with what was answered, for as long as the delivery is.
package webhook
