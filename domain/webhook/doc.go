// Package webhook is the model of webhooks: endpoints that subscribe to event kinds, and one
// delivery for each event and subscribed endpoint (contract section 9, spec/webhooks.md).
//
// # Endpoint (whk_)
//
// An endpoint belongs to a workspace and receives its events, or to the instance and
// receives all events. It has an address, the subscribed kinds (names, resource.*, or *),
// custom headers, and a secret that signs each message. After a rotation, the previous
// secret signs as well until the overlap ends, so that a receiver may switch to the new one
// at any time in between. A disabled endpoint receives nothing; it is disabled by a person,
// by a response 410, or after days of failures only.
//
// # Delivery (dlv_)
//
// A delivery is one event for one endpoint; there is at most one for both. Its identifier is
// the webhook-id of each of its messages, by which a receiver recognizes duplicates.
//
//	pending ──▶ delivering ──▶ succeeded
//	               │  ▲
//	               ▼  │ 30 s, 5 min, 30 min, 1 h
//	             failed ──▶ dead (after five attempts, or with its endpoint)
//
// A replica claims a delivery with a lease longer than an attempt may take. When a lease
// expires, another replica claims the delivery: the previous one may have died, and the
// receiver may get the message twice. Replaying a finished delivery starts it again.
//
// # Attempt
//
// Each attempt is stored with its response, as long as the delivery.
package webhook
