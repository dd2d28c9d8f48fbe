// Package inbound holds what the outside may ask of the application: execute a
// command, and read the catalogue of all commands.
package inbound

import (
	"context"
	"encoding/json"
	"net/netip"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// Commands is the whole application as seen from an inbound adapter.
type Commands interface {
	// Execute runs one command. Failures are part of the reply.
	Execute(ctx context.Context, request Request) Reply
	// Catalog describes every command, in the order of the names.
	Catalog() []Descriptor
}

// Request is one call of a command, free of transport.
type Request struct {
	Command string
	// Params is a JSON object, checked strictly; siblings are merged into it.
	Params []byte
	// DryRun runs everything and takes it back.
	DryRun bool
	// IdempotencyKey is the header of that name; "" when there was none.
	IdempotencyKey string
	// Authorization is the header of that name; "" when there was none.
	Authorization string
	// Client are the credentials of a client of OAuth, in place of Authorization; nil when
	// there were none. Only the paths of OAuth read them.
	Client *ClientCredentials
	// DPoP is the header of that name (RFC 9449 section 4); "" when there was none.
	DPoP string
	// Method and Path are those of the HTTP request; the path as it was sent,
	// without a query. A proof of possession must be made for them.
	Method, Path string
	// IP is the client's address behind the trusted proxies.
	IP        netip.Addr
	UserAgent string
	RequestID string
	// Browser is the browser-binding value: what a browser begins, no other one can
	// finish. Empty for API callers.
	Browser string
	// Refused is what is wrong with the call before there is a command to run, such as
	// malformed JSON; nil: nothing. It is counted, and the failure of the reply unless the
	// address has sent too much of it.
	Refused *fault.Error
}

// ClientCredentials are what a client of OAuth authenticates by: a secret (RFC 6749 section
// 2.3.1), or an assertion that it signed (RFC 7523).
type ClientCredentials struct {
	ID            string
	Secret        secret.String
	Assertion     secret.String
	AssertionType string
	// Registration is a registration access token (RFC 7592), in place of the others.
	Registration secret.String
}

// Reply is the outcome of one call.
type Reply struct {
	Command string
	// Data is the result as JSON; nil on failure.
	Data []byte
	// Failure is nil on success.
	Failure *fault.Error
	// Replayed reports whether this is the stored answer to an Idempotency-Key.
	Replayed bool
}

// Descriptor is the published description of one command. Its JSON form is an
// entry of GET /api/v1/commands.
type Descriptor struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Summary string `json:"summary"`
	// Access is public, user, permission:<name>, superadmin or client:<scope>.
	Access string `json:"access"`
	// Callers are the kinds of credentials that it takes: session, api_key, app.
	Callers []string `json:"callers"`
	// Scope is what API keys and M2M tokens need among their scopes, unless they have *:
	// a command that changes the caller's own things asks people for no permission.
	Scope string `json:"scope,omitzero"`
	// Recent reports whether it asks sessions for a login of the last 15 minutes, by a
	// second factor where the account has one.
	Recent bool `json:"recent,omitzero"`
	// Effect is none, store or outside.
	Effect string `json:"effect"`
	// Limits are those by default, all of which must hold; REGISTRY.DESCRIBE has those in force.
	Limits []LimitDescriptor `json:"rate_limit"`
	Events []event.Kind      `json:"events"`
	// Errors are the codes that it may answer.
	Errors []fault.Code `json:"errors"`
	// Params and Result are JSON Schemas (2020-12).
	Params json.RawMessage `json:"params_schema"`
	Result json.RawMessage `json:"result_schema"`
	// Example is a request body.
	Example json.RawMessage `json:"example"`
}

// LimitDescriptor is a default rate limit of a command.
type LimitDescriptor struct {
	// By is what the limit counts by: ip, token, email or user.
	By            string `json:"by"`
	Limit         int    `json:"limit"`
	WindowSeconds int    `json:"window_seconds"`
	// Shared reports whether all commands count against it together.
	Shared bool `json:"shared"`
}

// KindDescriptor is the published description of one kind of event.
type KindDescriptor struct {
	Type    event.Kind      `json:"type"`
	Summary string          `json:"summary"`
	Version int             `json:"version"`
	Schema  json.RawMessage `json:"schema"`
	Example json.RawMessage `json:"example"`
	// Commands are the names of the commands that emit it.
	Commands []string `json:"commands"`
}

// NodeDescriptor is the published description of one type of nodes of flows.
type NodeDescriptor struct {
	Type, Summary string
	// Outputs are what such a node leaves by, none where the flow ends; Values reports whether
	// it leaves by values besides.
	Outputs []string
	Values  bool
	// Schema is that of its configuration, Example one that fits it.
	Schema, Example json.RawMessage
}

// Discovery returns the metadata published beside the commands. Values from the store
// are current; while the store does not answer, the last known ones are returned.
type Discovery interface {
	// JWKS returns the JSON Web Key Set of the keys in use (RFC 7517).
	JWKS(ctx context.Context) []byte
	// Kinds describes every kind of event, in the order of the names.
	Kinds() []KindDescriptor
	// Kind describes one kind of event; false when there is none of that name.
	Kind(name event.Kind) (KindDescriptor, bool)
	// Issuer returns the public address of the instance, without a final slash.
	Issuer() string
	// Abilities returns what the service is able to do now.
	Abilities(ctx context.Context) Abilities
	Origins
}

// Origins tell the pages of which sites may call the service.
type Origins interface {
	// AllowedOrigins returns the origins of pages that may call the service.
	AllowedOrigins(ctx context.Context) []string
	// ClientOrigin reports whether answers of the authorization server may be sent to an origin:
	// an enabled app registered an address there. Its pages may call what clients call.
	ClientOrigin(ctx context.Context, origin string) bool
}

// Abilities are what settings let the service do.
type Abilities struct {
	// RegistersClients reports whether clients may register themselves (RFC 7591).
	RegistersClients bool
	// ClientDocuments reports whether addresses that describe a client are taken as client_id.
	ClientDocuments bool
}

// Door keeps addresses out of what is no command; commands keep them out by themselves.
type Door interface {
	// Admit fails where the instance lets nobody in from an address.
	Admit(ctx context.Context, from netip.Addr) *fault.Error
}

// Gate lets callers in to what is no command.
type Gate interface {
	// Superadmin fails unless the credential of a request is a superadmin's own.
	Superadmin(ctx context.Context, request Request) *fault.Error
}

// Health checks the instance.
type Health interface {
	// Ready fails with the reason while the instance must not get requests.
	Ready(ctx context.Context) error
}
