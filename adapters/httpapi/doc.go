// Package httpapi is the HTTP face of the service: the command endpoint, the
// catalogue of commands and events, discovery, health and metrics. It knows
// HTTP and nothing else: what a command means, who may call it and how often is
// the business of inbound.Commands behind it.
//
// # Decision: an envelope parser of its own
//
// Context: application/engine/strictjson reads the same body, but an adapter does not
// import the application. Choice: one small parser here, over the same library,
// which hands on a command's name and one object of parameters; the engine reads
// that object again against the schema. It spares the engine every notion of
// siblings and of HTTP. What would change our mind: a second inbound adapter
// that takes the same body; then strict JSON moves to a place both may import.
//
// # Decision: answers are appended, not marshalled
//
// Context: every call answers the same four keys around a result that is JSON
// already. Choice: the envelope is appended into a pooled buffer around it.
// Marshalling a struct with a raw member would scan and copy the result again.
//
// # Decision: forms are another language of the same commands
//
// Context: OAuth clients send forms and want answers of RFC 6749, 7662 and 7009, on
// paths where others send JSON and want envelopes. Choice: the content type tells
// who speaks. A dialect makes the parameters of a form and the answer of a result
// or a failure; the command behind it is the same, with its access, limits and
// events. Failures carry the OAuth error at the head of their message (contract
// section 3), so that nothing here knows what can go wrong. Clients of the JSON
// form authenticate in the parameters; HTTP Basic is understood with forms alone.
// What would change our mind: a grant that is not one call of one command.
//
// # Decision: who logs an internal error
//
// Context: a cause must reach the log once. Choice: whoever takes it off. The
// engine logs what commands raise and answers without the cause; what still
// carries one when it gets here (a look-up for discovery, a panic of the
// adapter) is logged here.
package httpapi
