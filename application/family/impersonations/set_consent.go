package impersonations

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
)

// SetConsentParams are the parameters of IMPERSONATION.SET_CONSENT.
type SetConsentParams struct {
	AllowedUntil time.Time `json:"allowed_until,omitzero" doc:"Until when support can impersonate you. At most 90 days from now. Omit to withdraw your consent." example:"-"`
}

// SetConsentResult is the result of IMPERSONATION.SET_CONSENT.
type SetConsentResult struct {
	AllowedUntil *time.Time `json:"allowed_until" doc:"Until when support can impersonate you. Null if consent is withdrawn."`
}

func (s *Service) setConsent() command.Definition {
	return command.Define(command.Spec[SetConsentParams, SetConsentResult]{
		Name:    "IMPERSONATION.SET_CONSENT",
		Summary: "Allow or forbid support to impersonate you.",
		Description: "Impersonations that would last beyond the time you allow are shortened to it. Without a time, they end at once.\n\n" +
			"The session policy decides whether an impersonation needs your consent (`impersonation_consent`).",
		Access:      access.User().InPerson().Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		Withdrawing: func(p SetConsentParams) bool { return p.AllowedUntil.IsZero() },
		Emits:       []event.Kind{impersonation.KindConsentSet},
		Handle: func(ctx context.Context, call command.Call, p SetConsentParams) (SetConsentResult, error) {
			result := SetConsentResult{AllowedUntil: view.Time(p.AllowedUntil)}
			if err := impersonation.CheckConsent(p.AllowedUntil, s.Clock.Now()); err != nil {
				return SetConsentResult{}, err
			}
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := s.allow(ctx, tx, call.Caller, p.AllowedUntil); err != nil {
					return err
				}
				return tx.Events.Record(ctx, impersonation.ConsentSet{UserID: call.Caller.User, AllowedUntil: result.AllowedUntil})
			})
			return result, err
		},
	})
}

// allow stores a consent. The account is stored as well: one that begins meanwhile stores it, too,
// and so begins anew and sees the consent.
func (s *Service) allow(ctx context.Context, tx Repos, caller access.Caller, until time.Time) error {
	if err := tx.Sessions.HoldOff(ctx, caller.User, caller.Session); err != nil {
		return err
	}
	person, err := tx.Users.ByID(ctx, caller.User)
	if err != nil {
		return err
	}
	if err := tx.Users.Save(ctx, person); err != nil {
		return err
	}
	open, err := tx.Impersonations.Open(ctx, caller.User)
	if err != nil {
		return err
	}
	for _, one := range open {
		if err := s.shorten(ctx, tx, one, until); err != nil {
			return err
		}
	}
	return tx.Impersonations.Allow(ctx, caller.User, until)
}

// shorten has an impersonation and its session end at a time, zero for at once, unless they end before.
// It is told of once the upkeep finds that it has ended.
func (s *Service) shorten(ctx context.Context, tx Repos, one *impersonation.Impersonation, until time.Time) error {
	now := s.Clock.Now()
	if !one.Active(now) {
		return nil
	}
	impersonated, err := tx.Sessions.ByID(ctx, one.Snapshot().SessionID)
	if err != nil {
		return err
	}
	if until.IsZero() {
		until = now
		impersonated.Return(session.ByConsent, now)
	}
	impersonated.Until(until)
	one.Until(until)
	if err := tx.Sessions.Save(ctx, impersonated); err != nil {
		return err
	}
	return tx.Impersonations.Save(ctx, one)
}
