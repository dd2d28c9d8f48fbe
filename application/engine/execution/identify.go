package execution

import (
	"context"
	"strings"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/ports/outbound"
)

// Errors of the Authorization header.
var (
	errScheme    = fault.New(fault.Auth, "malformed Authorization header: send Bearer <access token>, or DPoP <access token> with a proof in the DPoP header")
	errMalformed = fault.New(fault.TokenInvalid, "the bearer token is malformed")
	errKey       = fault.New(fault.Auth, "the API key is invalid, revoked or expired")
)

// credential is the credential of a call, verified as far as possible without the
// store: an API key, a token with a valid signature, or the credentials of a client.
type credential struct {
	kind access.Kind
	// text is the credential itself.
	text  string
	token token.VerifiedToken
	// key is the digest of an API key.
	key string
	// client are the credentials of an app that calls without a token.
	client *client.Credentials
	// bound reports whether it was presented with the DPoP scheme.
	bound bool
}

// subject identifies the credential for the limits.
func (c *credential) subject() string {
	switch c.kind {
	case access.Person, access.Impersonated:
		return c.token.Session
	case access.App:
		return c.token.Client
	case access.Delegated:
		return c.token.Grant
	default:
		return c.key
	}
}

// identify verifies the credential as far as possible without the store: form,
// signature, issuer, audience and expiry. Public commands ignore the credential unless
// they declare that they need the caller.
func (e *Engine) identify(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		sent := run.Authorization != "" || run.Client != nil
		if !sent && !run.Definition.Access.Anonymous() {
			return nil, access.ErrUnauthenticated
		}
		if !sent || !run.Definition.Access.Honors() {
			return next(ctx, run)
		}
		if run.Client != nil {
			run.presented = clientOf(run)
			return next(ctx, run)
		}
		presented, err := credentialOf(run.Authorization)
		if err == nil {
			err = e.verify(ctx, presented)
		}
		if err != nil {
			return nil, e.faulty(ctx, run, err)
		}
		run.presented = presented
		return next(ctx, run)
	}
}

// verify checks a credential and returns it with its kind.
func (e *Engine) verify(ctx context.Context, c *credential) error {
	if strings.HasPrefix(c.text, string(keytext.APIKey)) {
		if !keytext.Valid(keytext.APIKey, c.text) || c.bound {
			return errKey
		}
		c.kind, c.key = access.Key, keytext.Digest(c.text)
		return nil
	}
	var err error
	if c.token, err = e.Access.Verify(ctx, c.text, e.refresh); err != nil {
		return err
	}
	switch {
	case c.token.Delegated():
		c.kind = access.Delegated
	case c.token.Machine():
		c.kind = access.App
	case c.token.Impersonated():
		c.kind = access.Impersonated
	default:
		c.kind = access.Person
	}
	return nil
}

// credentialOf takes the credential out of the header (RFC 6750 section 2.1, RFC
// 9449 section 7.1).
func credentialOf(header string) (*credential, error) {
	scheme, text, _ := strings.Cut(header, " ")
	text = strings.TrimLeft(text, " ") // one space or more
	bound := strings.EqualFold(scheme, "DPoP")
	if !bound && !strings.EqualFold(scheme, "Bearer") {
		return nil, errScheme
	}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errMalformed
	}
	return &credential{text: text, bound: bound}, nil
}

// clientOf takes the credentials of a client out of the request.
func clientOf(run *Run) *credential {
	sent := run.Client
	return &credential{kind: access.App, client: &client.Credentials{
		ID: sent.ID, Secret: sent.Secret, Assertion: sent.Assertion, AssertionType: sent.AssertionType, Registration: sent.Registration, DryRun: run.DryRun,
	}}
}

// refresh reloads the configuration if it has changed since this replica read it.
func (e *Engine) refresh(ctx context.Context) error {
	answer, err := e.Admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return err
	}
	_, err = e.Instance.At(ctx, answer.Revision)
	return err
}
