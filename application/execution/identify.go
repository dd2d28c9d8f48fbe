package execution

import (
	"context"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
)

// Errors of the Authorization header.
var (
	errScheme    = fault.New(fault.Auth, "the Authorization header must be: Bearer <access token>")
	errMalformed = fault.New(fault.TokenInvalid, "the bearer token is malformed")
)

// identify checks the credential as far as that goes without the store: form,
// signature, issuer, audience and expiry. Commands open to all ignore it,
// unless they are told who asks.
func (e *Engine) identify(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if run.Authorization == "" && !run.Definition.Access.Anonymous() {
			return nil, access.ErrUnauthenticated
		}
		if run.Authorization == "" || !run.Definition.Access.Honours() {
			return next(ctx, run)
		}
		bearer, err := bearerOf(run.Authorization)
		if err != nil {
			return nil, err
		}
		presented, err := e.Access.Verify(ctx, bearer, e.refresh)
		if err != nil {
			return nil, err
		}
		run.presented = &presented
		return next(ctx, run)
	}
}

// bearerOf takes the token out of the header (RFC 6750 section 2.1).
func bearerOf(header string) (string, error) {
	scheme, credential, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errScheme
	}
	if credential == "" || strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errMalformed
	}
	return credential, nil
}

// refresh looks whether the configuration moved since this replica read it.
func (e *Engine) refresh(ctx context.Context) error {
	answer, err := e.Admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return err
	}
	_, err = e.Instance.At(ctx, answer.Revision)
	return err
}
