package execution

import (
	"context"

	"gatehouse.internal/application/proof"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// Errors of tokens that are bound to a key (RFC 9449 section 7.1).
var (
	errBound   = fault.New(fault.TokenInvalid, "the token is bound to a DPoP key: send Authorization: DPoP <token> with a proof in the DPoP header")
	errUnbound = fault.New(fault.TokenInvalid, "the token is not bound to a DPoP key: send Authorization: Bearer <token>")
)

// prove requires the proof of possession for a token that is bound to a key, and
// records the use of an API key.
func (e *Engine) prove(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if run.presented == nil {
			return next(ctx, run)
		}
		if err := e.possessed(ctx, run); err != nil {
			return nil, err
		}
		if key := run.answer.Key; key != nil {
			if err := e.LastUses.Touch(ctx, key.ID.String()); err != nil {
				e.Logger.WarnContext(ctx, "failed to record the use of an API key", "cause", err)
			}
		}
		return next(ctx, run)
	}
}

func (e *Engine) possessed(ctx context.Context, run *Run) error {
	c := run.presented
	if c.client != nil {
		return nil // a secret or an assertion is bound to nothing else
	}
	stored := ""
	switch c.kind {
	case access.App:
		stored = run.answer.Token.JKT
	case access.Delegated:
		stored = c.token.JKT // the token alone tells: a grant may outlive the key
	default:
	}
	bound := c.token.JKT != "" || stored != ""
	switch {
	case bound && !c.bound:
		return errBound
	case !bound && c.bound:
		return errUnbound
	case !bound:
		return nil
	case c.token.JKT != stored:
		return errRevoked
	}
	_, err := e.Proofs.Check(ctx, proof.Proof{
		Text: run.DPoP, Method: run.Method, URL: run.url, AccessToken: c.text, WantJKT: c.token.JKT,
	})
	return err
}
