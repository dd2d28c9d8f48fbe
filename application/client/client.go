// Package client authenticates OAuth clients: apps that call for themselves, by a
// secret or by an assertion which they sign (RFC 6749 section 2.3, RFC 7523).
package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// AssertionType is the only client_assertion_type there is (RFC 7523 section 2.2).
const AssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// Errors of credentials. ErrClient is one answer to everything that may be wrong
// with them, so that nobody learns which clients there are.
var (
	ErrClient = fault.New(fault.Auth,
		"invalid_client: the client_id, or the client's secret or assertion, is wrong, or the app is disabled")
	errRehearsed = fault.New(fault.Validation,
		"invalid_request: a dry run takes no client_assertion: try it without dry_run, or with a secret")
	errNone = fault.New(fault.Auth, "invalid_client: send client_secret, or client_assertion")
	errBoth = fault.New(fault.Validation, "invalid_request: send client_secret or client_assertion, not both")
	errType = fault.Unfit("/client_assertion_type", "must be "+AssertionType)
)

// Credentials are what a client sends to say who it is.
type Credentials struct {
	ID            string
	Secret        secret.String
	Assertion     secret.String
	AssertionType string
	// Rehearsed tells that a dry run asks. It takes no assertion, whoever the client
	// is: keys may have to be fetched, and no transaction shall wait for them.
	Rehearsed bool

	// taken tells that the jti of the assertion was taken already, by an earlier try
	// of the same call.
	taken bool
}

// Check refuses credentials that are wrong by their form, before the store is asked.
func (c *Credentials) Check() error {
	switch {
	case !c.Secret.Empty() && !c.Assertion.Empty():
		return errBoth
	case !c.Assertion.Empty() && c.AssertionType != AssertionType:
		return errType
	case c.Secret.Empty() && c.Assertion.Empty():
		return errNone
	case c.Assertion.Empty() && !keytext.Valid(keytext.AppSecret, c.Secret.Reveal()):
		return ErrClient
	}
	return nil
}

// Authenticator authenticates clients.
type Authenticator struct {
	Clients outbound.Clients
	JWKS    outbound.JWKS
	Fetcher outbound.Fetcher
	// Replays takes the jti of assertions.
	Replays  outbound.Proofs
	LastUses outbound.LastUses
	Clock    outbound.Clock
	Logger   *slog.Logger
	// Audiences are what an assertion may be made for: the issuer and the address
	// that tokens are asked for at.
	Audiences []string

	fetched fetchedKeys
}

// Authenticate gives the app behind credentials, which may be used again within
// the same call; known is the app as it was read for the call already, if it was,
// and without an identifier when it was not there. It fails with ErrClient.
func (a *Authenticator) Authenticate(ctx context.Context, c *Credentials, known *outbound.Client) (outbound.Client, error) {
	if c.Rehearsed && !c.Assertion.Empty() {
		return outbound.Client{}, errRehearsed
	}
	found, err := a.find(ctx, c.ID, known)
	absent := errors.Is(err, app.ErrNotFound)
	if err != nil && !absent {
		return outbound.Client{}, fmt.Errorf("look the client up: %w", err)
	}
	if absent {
		found.App = nobody()
	}
	var right bool
	var by app.SecretID
	if c.Assertion.Empty() {
		by, right = found.App.Verify(c.Secret.Reveal(), a.Clock.Now())
	} else if right, err = a.asserted(ctx, c, found.App); err != nil {
		return outbound.Client{}, err
	}
	if !right || absent || !found.App.Enabled || found.App.Type.Public() {
		return outbound.Client{}, ErrClient
	}
	a.note(ctx, by)
	return found, nil
}

func (a *Authenticator) find(ctx context.Context, id string, known *outbound.Client) (outbound.Client, error) {
	switch {
	case known == nil:
	case known.App.ID == "":
		return outbound.Client{}, app.ErrNotFound
	default:
		return *known, nil
	}
	return a.Clients.BySlug(ctx, id)
}

// nobody stands for a client that there is not, so that its credentials take as
// long to be refused as those of one that there is.
func nobody() app.Snapshot {
	return app.Snapshot{Type: app.Service, Secrets: []app.Secret{{Digest: keytext.Digest("")}}}
}

// note records the use of a secret. Without it nothing but a hint is lost.
func (a *Authenticator) note(ctx context.Context, by app.SecretID) {
	if by == "" {
		return
	}
	if err := a.LastUses.Touch(ctx, by.String()); err != nil {
		a.Logger.WarnContext(ctx, "the use of an app's secret was not noted", "cause", err)
	}
}
