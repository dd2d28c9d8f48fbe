package login

import (
	"cmp"
	"context"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/ports/outbound"
)

// elsewhere reports whether the call comes from another browser or app than the session was
// used in before.
func (e *entry) elsewhere() bool {
	return e.within.UserAgent != e.Call.UserAgent && device.Kind(e.within.UserAgent) != device.Kind(e.Call.UserAgent)
}

// reconsider assesses the risk of a session whose browser or app has changed, as for a login
// (spec/flows.md section 6). It reads nothing if neither has changed or if the policy ignores
// such changes. It fails if the policy demands a second factor.
func (s *Service) reconsider(ctx context.Context, of outbound.Identity, e *entry) error {
	if !e.elsewhere() {
		return nil
	}
	var err error
	if e.Policies, err = s.Policies.OfUser(ctx, e.UserID); err != nil || e.Policies.Risk.UserAgentChange == 0 {
		return err
	}
	var refusal error
	err = s.Unit.Do(ctx, func(tx Repos) error {
		e.risk, refusal = assessed{}, nil
		if err := s.assess(ctx, tx, e, of.User.Email); err != nil {
			return err
		}
		if e.risk.strict {
			missing, err := hasFactor(ctx, tx, e.UserID)
			if err != nil {
				return err
			}
			if missing {
				refusal = errElsewhere
			}
		}
		return s.keep(ctx, tx, e, of.Session.ID)
	})
	return cmp.Or(err, refusal)
}

// goOn stores the browser or app in which a session was allowed to continue, so that the
// change is assessed only once. It always fails, with aggregate.ErrConflict on success: the
// caller holds an outdated session.
func (s *Service) goOn(ctx context.Context, e *entry) error {
	err := s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Sessions.ByID(ctx, e.within.ID)
		if err != nil {
			return err
		}
		held.GoOnWith(e.Call.UserAgent)
		return tx.Sessions.Save(ctx, held)
	})
	return cmp.Or(err, error(aggregate.ErrConflict))
}

// weighContinuing is weigh for a session that asks for new tokens.
func (s *Service) weighContinuing(ctx context.Context, of outbound.Identity, e *entry) (live.Weight, error) {
	if e.Policies.Risk.Idle() { // Nothing was assessed: it may be that nobody asked for the policies.
		var err error
		if e.Policies, err = s.Policies.OfUser(ctx, e.UserID); err != nil {
			return live.Weight{}, err
		}
	}
	var found live.Weight
	err := s.Unit.Do(ctx, func(tx Repos) (err error) {
		found, err = s.weigh(ctx, tx, e, of.User.Email)
		return err
	})
	return found, err
}
