// Package client authenticates OAuth clients: apps that call for themselves, by a
// secret or by an assertion which they sign (RFC 6749 section 2.3, RFC 7523).
package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// AssertionType is the only client_assertion_type there is (RFC 7523 section 2.2).
const AssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// Errors of credentials. ErrClient is returned for any invalid credential, so that it
// does not reveal which clients exist.
var (
	ErrClient = fault.New(fault.Auth,
		"invalid_client: wrong client_id, client secret or client assertion, or the app is disabled")
	errRehearsed = fault.New(fault.Validation,
		"invalid_request: client_assertion cannot be used in a dry run: omit dry_run, or send client_secret")
	errNone = fault.New(fault.Auth, "invalid_client: client authentication is missing: send client_secret or client_assertion")
	errBoth = fault.New(fault.Validation, "invalid_request: send either client_secret or client_assertion, not both")
	errType = fault.Unfit("/client_assertion_type", "must be "+AssertionType)
	// ErrRegistration is one answer to everything that may be wrong with a registration
	// access token (RFC 7592 section 2.1).
	ErrRegistration = fault.New(fault.Auth, "invalid_token: wrong registration access token, or the client was deleted or disabled")
)

// Credentials are the credentials of a client.
type Credentials struct {
	ID string
	// Audience is the requested audience; empty for this service.
	Audience      string
	Secret        secret.String
	Assertion     secret.String
	AssertionType string
	// Registration is a registration access token, in place of all others: it reaches the
	// registration of the client, and nothing else.
	Registration secret.String
	// Method is how the client authenticated at the token endpoint; empty elsewhere,
	// where a secret is accepted in either form.
	Method app.AuthMethod
	// DryRun reports whether the call is a dry run. It accepts no assertion from any
	// client, since keys may have to be fetched, for which no transaction should wait.
	DryRun bool
	// Count is that of the call (command.Call).
	Count func(ctx context.Context, proven bool) error

	// counted reports whether an earlier try of the same call was counted.
	counted bool
	// taken reports whether the jti of the assertion was taken already, by an earlier try
	// of the same call.
	taken bool
}

// Bare reports whether a client does nothing but name itself.
func (c *Credentials) Bare() bool { return c.Secret.Empty() && c.Assertion.Empty() }

// Check refuses credentials that are wrong by their form, before the store is asked.
func (c *Credentials) Check() error {
	switch {
	case !c.Registration.Empty():
		if !app.ValidSlug(c.ID) || !keytext.Valid(keytext.Registration, c.Registration.Reveal()) {
			return ErrRegistration
		}
		return nil
	case !c.Secret.Empty() && !c.Assertion.Empty():
		return errBoth
	case !c.Assertion.Empty() && c.AssertionType != AssertionType:
		return errType
	case c.Secret.Empty() && c.Assertion.Empty():
		return errNone
	case !app.ValidClientID(c.ID), c.Assertion.Empty() && !keytext.Valid(keytext.AppSecret, c.Secret.Reveal()):
		return ErrClient
	}
	return nil
}

// Subject returns the subject of limits for a call with credentials, and the function
// to check them. A secret is checked with the admission; an assertion is deferred,
// since it may take longer.
func (a *Authenticator) Subject(c Credentials) (command.Subject, error) {
	subject := command.Subject{Counted: c.ID, Client: c.ID}
	if c.Assertion.Empty() {
		subject.Proven = func(found *outbound.Client) bool { return a.proves(c, found) }
	} else {
		subject.Deferred = true
	}
	return subject, c.Check()
}

// Naming is Subject for a command that also takes public clients (Identify).
func (a *Authenticator) Naming(c Credentials) (command.Subject, error) {
	if !c.Bare() {
		return a.Subject(c)
	}
	if !app.ValidClientID(c.ID) {
		return command.Subject{}, ErrClient
	}
	return command.Subject{Counted: c.ID, Client: c.ID}, nil
}

// Authenticator authenticates clients.
type Authenticator struct {
	Clients machines.Clients
	JWKS    crypt.JWKS
	Fetcher outbound.Fetcher
	// Replays takes the jti of assertions.
	Replays  machines.Proofs
	LastUses machines.LastUses
	Clock    outbound.Clock
	Logger   *slog.Logger
	// Audiences are the accepted audiences of assertions: the issuer and the address of
	// the token endpoint.
	Audiences []string

	fetched fetchedKeys
}

// Identify is Authenticate that also takes a public client, which can prove nothing: it names
// itself, and sends neither secret nor assertion (RFC 6749 section 3.2.1).
func (a *Authenticator) Identify(ctx context.Context, c *Credentials, known *outbound.Client) (outbound.Client, error) {
	if !c.Bare() {
		return a.Authenticate(ctx, c, known)
	}
	found, err := a.find(ctx, c, known)
	switch {
	case errors.Is(err, app.ErrNotFound):
		return outbound.Client{}, ErrClient
	case err != nil:
		return outbound.Client{}, fmt.Errorf("look the client up: %w", err)
	case !found.App.Type.Public() || a.ended(&found):
		return outbound.Client{}, ErrClient
	case a.suspended(&found):
		return outbound.Client{}, workspace.ErrSuspended
	}
	return found, nil
}

// Authenticate returns the app behind credentials, which may be used again within
// the same call; known is the app as it was read for the call already, if it was,
// and without an identifier when it was not there. It fails with ErrClient, and with
// workspace.ErrSuspended. What was not counted before, it counts.
func (a *Authenticator) Authenticate(ctx context.Context, c *Credentials, known *outbound.Client) (outbound.Client, error) {
	found, err := a.authenticate(ctx, c, known)
	wrong := errors.Is(err, ErrClient)
	if c.Count != nil && !c.counted && (err == nil || wrong) {
		c.counted = true
		if refused := c.Count(ctx, !wrong); refused != nil {
			return outbound.Client{}, refused
		}
	}
	if err == nil && a.suspended(&found) {
		return outbound.Client{}, workspace.ErrSuspended
	}
	return found, err
}

func (a *Authenticator) authenticate(ctx context.Context, c *Credentials, known *outbound.Client) (outbound.Client, error) {
	if c.DryRun && !c.Assertion.Empty() {
		return outbound.Client{}, errRehearsed
	}
	found, err := a.find(ctx, c, known)
	absent := errors.Is(err, app.ErrNotFound)
	if err != nil && !absent {
		return outbound.Client{}, fmt.Errorf("look the client up: %w", err)
	}
	if !c.Registration.Empty() {
		if !a.registers(*c, found) {
			return outbound.Client{}, ErrRegistration
		}
		return found, nil
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
	if !right || absent || !a.usable(found) || !found.App.Signs(!c.Assertion.Empty()) {
		return outbound.Client{}, ErrClient
	}
	if c.Method != "" && !found.App.Takes(c.Method) {
		return outbound.Client{}, otherMethod(found.App.AuthMethod)
	}
	a.note(ctx, by)
	return found, nil
}

// otherMethod returns the refusal of a client that proved itself by a method that it did not
// register.
func otherMethod(registered app.AuthMethod) error {
	return fault.New(fault.Auth, "invalid_client: the app registered token_endpoint_auth_method "+string(registered)+": use that method").Because(ErrClient)
}

// usable reports whether an app may authenticate at all.
func (a *Authenticator) usable(found outbound.Client) bool {
	return !a.ended(&found) && !found.App.Type.Public()
}

// ended reports whether an app may not be used at all, other than while its workspace is suspended.
func (a *Authenticator) ended(found *outbound.Client) bool {
	return found.Failing(a.Clock.Now()).Any(liveness.ClientHolds)
}

// suspended reports whether the workspace of an app is suspended.
func (a *Authenticator) suspended(found *outbound.Client) bool {
	return found.Failing(a.Clock.Now()).Any(liveness.AppSuspended)
}

// registers reports whether a registration access token is that of a client, which may be
// a public one.
func (a *Authenticator) registers(c Credentials, found outbound.Client) bool {
	return found.App.Registers(c.Registration.Reveal()) && !a.ended(&found)
}

// proves reports whether Authenticate takes credentials with a secret, given the client
// that was found. It takes as long where there is none.
func (a *Authenticator) proves(c Credentials, found *outbound.Client) bool {
	absent := found == nil
	if absent {
		found = &outbound.Client{App: nobody()}
	}
	if !c.Registration.Empty() {
		return a.registers(c, *found)
	}
	_, right := found.App.Verify(c.Secret.Reveal(), a.Clock.Now())
	return right && !absent && a.usable(*found) && found.App.Signs(false)
}

func (a *Authenticator) find(ctx context.Context, c *Credentials, known *outbound.Client) (outbound.Client, error) {
	switch {
	case known == nil, known.App.ID == "" && app.IsDocument(c.ID):
	case known.App.ID == "":
		return outbound.Client{}, app.ErrNotFound
	default:
		return *known, nil
	}
	return a.Clients.BySlug(ctx, c.ID, c.Audience)
}

// nobody is compared in place of an unknown client, so that its rejection takes the
// same time.
func nobody() app.Snapshot {
	return app.Snapshot{Type: app.Service, Secrets: []app.Secret{{Digest: keytext.Digest("")}}}
}

// note records the use of a secret. Without it nothing but a hint is lost.
func (a *Authenticator) note(ctx context.Context, by app.SecretID) {
	if by == "" {
		return
	}
	if err := a.LastUses.Touch(ctx, by.String()); err != nil {
		a.Logger.WarnContext(ctx, "failed to record the use of a client secret", "cause", err)
	}
}
