// Package httpapi is the HTTP adapter of the service: the command endpoint, OAuth
// endpoints, the catalog of commands and events, discovery, health and metrics. It
// implements HTTP only; what commands do, their authorization and rate limits are behind
// inbound.Commands.
//
// # Decision: a separate envelope parser
//
// Context: application/engine/strictjson parses the same body, but an adapter does not
// import the application. Choice: a small parser here, with the same library, returns
// the name of a command and one object of parameters; the engine parses that object
// again against the schema. The engine needs to know neither sibling members nor HTTP.
// What would change our mind: a second inbound adapter that takes the same body; then
// strict JSON moves to a place both may import.
//
// # Decision: responses are appended, not marshaled
//
// Context: every response has the same four keys around a result that is JSON already.
// Choice: the envelope is appended to a pooled buffer. Marshalling a struct with a raw
// member would scan and copy the result again.
//
// # Decision: forms are another encoding of the same commands
//
// Context: OAuth clients send forms and expect the responses of RFC 6749, 7662 and
// 7009, on paths where others send JSON and expect envelopes. Choice: the content type
// decides. A dialect converts a form to parameters, and a result or a failure to a
// response; the command is the same, with its authorization, limits and events.
// Messages of failures begin with the OAuth error code (contract section 3), so that
// this package need not know the errors of commands. With JSON, clients authenticate in
// the parameters; HTTP Basic is supported with forms only. What would change our mind:
// a grant that is not one call of one command.
//
// # Decision: who logs an internal error
//
// Context: a cause must be logged exactly once. Choice: by the code that removes it from
// the failure. The engine logs causes of commands and returns failures without them; a
// failure that still has a cause here (a lookup for discovery, a panic of the adapter) is
// logged here.
package httpapi
