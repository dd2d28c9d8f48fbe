package login

import (
	"cmp"
	"context"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/ports/outbound"
)

// elsewhere reports whether a session goes on in another browser or app than it did.
func (p Proof) elsewhere() bool {
	return p.within != nil && p.within.UserAgent != p.Call.UserAgent && device.Kind(p.within.UserAgent) != device.Kind(p.Call.UserAgent)
}

// reconsider assesses a session that is to get new tokens in another browser or app, as a
// login is (spec/flows.md section 6). In the same one nothing is read, nor where the policy
// gives that no weight. It fails where the policy asks for a second factor.
func (s *Service) reconsider(ctx context.Context, of outbound.Identity, p *Proof) error {
	if !p.elsewhere() {
		return nil
	}
	var err error
	if p.Policies, err = s.Policies.OfUser(ctx, p.UserID); err != nil || p.Policies.Risk.UserAgentChange == 0 {
		return err
	}
	var refusal error
	err = s.Unit.Do(ctx, func(tx Repos) error {
		p.risk, refusal = assessed{}, nil
		if err := s.assess(ctx, tx, of.User.Email, p); err != nil {
			return err
		}
		if p.risk.strict {
			missing, err := hasFactor(ctx, tx, p.UserID)
			if err != nil {
				return err
			}
			if missing {
				refusal = errElsewhere
			}
		}
		return s.keep(ctx, tx, *p, of.Session.ID)
	})
	return cmp.Or(err, refusal)
}

// goOn notes where a session goes on that was assessed and let, so that it is assessed once.
// It fails with aggregate.ErrConflict: the session is another one than was read.
func (s *Service) goOn(ctx context.Context, p Proof) error {
	err := s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Sessions.ByID(ctx, p.within.ID)
		if err != nil {
			return err
		}
		held.GoOnWith(p.Call.UserAgent)
		return tx.Sessions.Save(ctx, held)
	})
	return cmp.Or(err, error(aggregate.ErrConflict))
}

// weighContinuing is weigh for a session that is to get new tokens, where a flow reads it.
func (s *Service) weighContinuing(ctx context.Context, of outbound.Identity, p Proof) (live.Weight, error) {
	if p.Policies.Risk.Idle() { // Nothing was assessed: it may be that nobody asked for the policies.
		var err error
		if p.Policies, err = s.Policies.OfUser(ctx, p.UserID); err != nil {
			return live.Weight{}, err
		}
	}
	var found live.Weight
	err := s.Unit.Do(ctx, func(tx Repos) (err error) {
		found, err = s.weigh(ctx, tx, of.User.Email, p)
		return err
	})
	return found, err
}
