package social

import (
	"context"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/ports/inbound"
)

var _ inbound.SocialReturns = (*Service)(nil)

// Land handles a browser that a provider sent back, and returns where to send it next. The
// state is consumed in any case. A state that another browser began, or that belongs to
// another provider, fails with challenge.ErrGone like one that never existed.
func (s *Service) Land(ctx context.Context, l inbound.SocialCallback) (inbound.SocialRedirect, error) {
	digest := challenge.Digest(l.State.Reveal())
	// Nothing limits these requests: an unknown state must cost no transaction.
	if _, err := s.Links.Find(ctx, digest, s.Login.Clock.Now(), challenge.SocialState); err != nil {
		return inbound.SocialRedirect{}, err
	}
	var landed inbound.SocialRedirect
	var refused error
	err := s.Unit.Do(ctx, func(tx Repos) error {
		landed, refused = inbound.SocialRedirect{}, nil
		found, err := tx.Challenges.Take(ctx, challenge.SocialState, digest, s.Login.Clock.Now())
		if err != nil {
			return err
		}
		begun, err := (ceremony{}).of(found)
		if err != nil {
			return err
		}
		if begun.Provider != domainsocial.Provider(l.Provider) || !begun.heldBy(l.Browser) {
			refused = challenge.ErrGone
			return nil
		}
		here := string(begun.RedirectURI) == s.callback(begun.Provider)
		landed = inbound.SocialRedirect{RedirectURI: string(begun.RedirectURI), Here: here, State: secret.Shown(l.State.Reveal())}
		if l.Code.Empty() {
			landed.Refused = declined(l.Error)
			return nil
		}
		begun.Code, begun.Target, begun.State = l.Code.Reveal(), s.callback(begun.Provider), found.Digest
		landed.Code, err = s.keep(ctx, tx, challenge.SocialCode, begun, codeLife)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return inbound.SocialRedirect{}, err
	}
	return landed, nil
}

// declined returns the error for what a provider sent instead of a code. The provider's own
// text is not passed on.
func declined(word string) *fault.Error {
	if word == "access_denied" {
		return domainsocial.ErrDeclined
	}
	return domainsocial.ErrUnavailable
}
