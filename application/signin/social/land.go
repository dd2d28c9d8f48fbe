package social

import (
	"context"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	upstream "gatehouse.internal/domain/social"
	"gatehouse.internal/ports/inbound"
)

var _ inbound.SocialReturns = (*Service)(nil)

// Land takes a browser that a provider sent back, and says where it goes on to.
// The state is used up by it, whoever came with it: one that another browser began,
// or that was begun for another provider, fails with challenge.ErrGone like one
// that never was.
func (s *Service) Land(ctx context.Context, l inbound.SocialLanding) (inbound.SocialLanded, error) {
	digest := challenge.Digest(l.State.Reveal())
	// No limit stands before this: what was never begun must cost no transaction.
	if _, err := s.Links.Find(ctx, digest, s.Login.Clock.Now(), challenge.SocialState); err != nil {
		return inbound.SocialLanded{}, err
	}
	var landed inbound.SocialLanded
	var refused error
	err := s.Unit.Do(ctx, func(tx Repos) error {
		landed, refused = inbound.SocialLanded{}, nil
		found, err := tx.Challenges.Take(ctx, challenge.SocialState, digest, s.Login.Clock.Now())
		if err != nil {
			return err
		}
		begun, err := (ceremony{}).of(found)
		if err != nil {
			return err
		}
		if begun.Provider != upstream.Provider(l.Provider) || !begun.heldBy(l.Browser) {
			refused = challenge.ErrGone
			return nil
		}
		here := string(begun.RedirectURI) == s.callback(begun.Provider)
		landed = inbound.SocialLanded{RedirectURI: string(begun.RedirectURI), Here: here, State: secret.Shown(l.State.Reveal())}
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
		return inbound.SocialLanded{}, err
	}
	return landed, nil
}

// declined words what a provider sent instead of a code. Its own words go nowhere.
func declined(word string) *fault.Error {
	if word == "access_denied" {
		return upstream.ErrDeclined
	}
	return upstream.ErrUnavailable
}
