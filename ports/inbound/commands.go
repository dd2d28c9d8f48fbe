// Package inbound defines the interfaces of the application: to execute commands, and
// to read the catalog of commands and published metadata.
package inbound

import (
	"context"
	"encoding/json"
	"net/netip"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// Commands is the application as seen by an inbound adapter.
type Commands interface {
	// Execute runs a command. Failures are part of the reply.
	Execute(ctx context.Context, request Request) Reply
	// Catalog describes every command, sorted by name, with its default limits.
	Catalog() []Descriptor
	// Describe describes a command with the limits in force, or returns false if it is
	// unknown.
	Describe(ctx context.Context, name string) (Descriptor, bool)
}

// Request is a call of a command, independent of the transport.
type Request struct {
	Command string
	// Params is a JSON object including sibling members, not yet validated.
	Params []byte
	// DryRun executes the command and rolls back its effects.
	DryRun bool
	// IdempotencyKey is the Idempotency-Key header; "" for none.
	IdempotencyKey string
	// Authorization is the Authorization header; "" for none.
	Authorization string
	// Client are the credentials of an OAuth client, instead of Authorization; nil for
	// none. Only OAuth paths set them.
	Client *ClientCredentials
	// ClientMethod is how a client authenticated at the token endpoint, one of the
	// values of token_endpoint_auth_method; "" for calls of commands, which take either
	// form of a secret.
	ClientMethod string
	// DPoP is the DPoP header (RFC 9449 section 4); "" for none.
	DPoP string
	// Method and Path are those of the HTTP request; the path as sent, without a query.
	// A DPoP proof must match them.
	Method, Path string
	// IP is the client's address behind trusted proxies.
	IP        netip.Addr
	UserAgent string
	RequestID string
	// Browser is the browser-binding value: a login begun in one browser must be
	// completed in it. Empty for API callers.
	Browser string
	// Refused is the error of a request that contains no valid call, such as malformed
	// JSON; nil for none. It is counted by rate limits, and is the failure of the reply
	// unless a limit is exceeded.
	Refused *fault.Error
}

// ClientCredentials are the credentials of an OAuth client: a secret (RFC 6749 section
// 2.3.1) or a signed assertion (RFC 7523).
type ClientCredentials struct {
	ID            string
	Secret        secret.String
	Assertion     secret.String
	AssertionType string
	// Registration is a registration access token (RFC 7592), instead of the others.
	Registration secret.String
}

// Reply is the result of a call.
type Reply struct {
	Command string
	// Data is the result as JSON; nil on failure.
	Data []byte
	// Failure is nil on success.
	Failure *fault.Error
	// Replayed reports whether this is the stored reply to an Idempotency-Key.
	Replayed bool
}

// Descriptor is the published description of a command. Its JSON form is an entry of
// GET /api/v1/commands.
type Descriptor struct {
	// Command and Name are both its name.
	Command string `json:"command"`
	Name    string `json:"name"`
	Family  string `json:"family"`
	Summary string `json:"summary"`
	// Description is what a caller has to know beyond the summary, in Markdown.
	Description string `json:"description,omitzero"`
	// Access is public, user, permission:<name>, superadmin or client:<scope>.
	Access string `json:"access"`
	// Callers are the accepted kinds of credentials: session, api_key, app, delegated,
	// impersonation.
	Callers []string `json:"callers"`
	// Scope is required of API keys and M2M tokens, unless they have *. Commands on the
	// caller's own resources have one, while people need no permission for them.
	Scope string `json:"scope,omitzero"`
	// Recent reports whether sessions need a login within the last 15 minutes, with a
	// second factor if the account has one.
	Recent bool `json:"recent,omitzero"`
	// Effect is none, store or outside.
	Effect string `json:"effect"`
	// Limits all apply.
	Limits []LimitDescriptor `json:"rate_limit"`
	Events []event.Kind      `json:"events"`
	// Errors are the possible error codes.
	Errors []fault.Code `json:"errors"`
	// Params and Result are JSON Schemas (2020-12).
	Params json.RawMessage `json:"params_schema"`
	Result json.RawMessage `json:"result_schema"`
	// Example is a request body.
	Example json.RawMessage `json:"example"`
}

// LimitDescriptor is a rate limit of a command.
type LimitDescriptor struct {
	// By is the subject of the limit: ip, token, email or user.
	By            string `json:"by"`
	Limit         int    `json:"limit"`
	WindowSeconds int    `json:"window_seconds"`
	// Shared reports whether all commands share the limit.
	Shared bool `json:"shared"`
}

// KindDescriptor is the published description of an event kind.
type KindDescriptor struct {
	Type    event.Kind      `json:"type"`
	Summary string          `json:"summary"`
	Version int             `json:"version"`
	Schema  json.RawMessage `json:"schema"`
	Example json.RawMessage `json:"example"`
	// Commands are the names of the commands that emit the kind.
	Commands []string `json:"commands"`
}

// NodeDescriptor is the published description of a type of flow nodes.
type NodeDescriptor struct {
	Type, Summary string
	// Outputs are the named outputs of a node, none if it ends the flow; Values reports
	// whether it also has outputs by value.
	Outputs []string
	Values  bool
	// Schema is the JSON Schema of the configuration, and Example a valid
	// configuration.
	Schema, Example json.RawMessage
}

// Discovery returns the metadata published beside the commands. Values from the store
// are current; while the store does not respond, the last known ones are returned.
type Discovery interface {
	// JWKS returns the JSON Web Key Set of the keys in use (RFC 7517).
	JWKS(ctx context.Context) []byte
	// Kinds describes every event kind, sorted by name.
	Kinds() []KindDescriptor
	// Kind describes an event kind, or returns false if it is unknown.
	Kind(name event.Kind) (KindDescriptor, bool)
	// Issuer returns the public address of the instance, without a trailing slash.
	Issuer() string
	// Abilities returns what the settings currently enable.
	Abilities(ctx context.Context) Abilities
	Origins
}

// Origins determines which origins may call the service from a browser.
type Origins interface {
	// AllowedOrigins returns the allowed origins.
	AllowedOrigins(ctx context.Context) []string
	// ClientOrigin reports whether an enabled app has a redirect URL at an origin.
	// Pages of that origin may call the endpoints for OAuth clients.
	ClientOrigin(ctx context.Context, origin string) bool
	// TakesStrangers reports whether clients may come that nobody registered: by open
	// registration, or by a client metadata document. Pages of any origin may call the
	// endpoints for them.
	TakesStrangers(ctx context.Context) bool
}

// Abilities are features enabled by settings.
type Abilities struct {
	// RegistersClients reports whether clients may register themselves (RFC 7591).
	RegistersClients bool
	// ClientDocuments reports whether a client_id may be the address of a client
	// metadata document.
	ClientDocuments bool
}

// Door applies IP rules to requests that execute no command; commands apply them by
// themselves.
type Door interface {
	// Admit fails if the IP rules of the instance deny an address.
	Admit(ctx context.Context, from netip.Addr) *fault.Error
}

// Gate authorizes requests that execute no command.
type Gate interface {
	// Superadmin fails unless the request has the credential of a superadmin.
	Superadmin(ctx context.Context, request Request) *fault.Error
}

// Health checks the instance.
type Health interface {
	// Ready fails with the reason if the instance must not receive requests.
	Ready(ctx context.Context) error
}
