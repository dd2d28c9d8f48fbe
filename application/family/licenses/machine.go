package licenses

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/licensing"
)

// ActiveMachine is an active machine of a license that has no free activation, to choose which one to deactivate.
type ActiveMachine struct {
	Name     string    `json:"name" doc:"Name of the machine. May be empty."`
	LastSeen time.Time `json:"last_seen" doc:"Time of the machine's last heartbeat or activation."`
}

// errRefused undoes what was done for a call that a code refuses in the end.
var errRefused = errors.New("refused: nothing of it is kept")

// seat is what came of a question for a place: a code, and what is known by then.
type seat struct {
	code    license.Code
	license *view.License
	machine *view.Machine
	id      license.ID
}

// byKey does something with the license of a key while nobody else does, unless the key is
// unknown or the license does not hold.
func (s *Service) byKey(ctx context.Context, key string, do func(tx Repos, l *license.License) (seat, error)) (came seat, err error) {
	canonical, ok := license.ReadKey(key)
	if !ok {
		return seat{code: license.Unknown}, nil
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		found, err := tx.Licenses.ByKey(ctx, canonical, s.now())
		if absent(err) {
			came = seat{code: license.Unknown}
			return nil
		}
		if err != nil {
			return err
		}
		if code := found.Snapshot().Refusal(s.now()); code != "" {
			came = seat{code: code}
			return nil
		}
		came, err = do(tx, found)
		came.id = found.Snapshot().ID
		return err
	})
	return came, err
}

// place takes a place for a machine of a license that is held: the one it has, or a free one.
// fresh makes a machine that was never activated; nil where only known ones are let in.
func (s *Service) place(
	ctx context.Context, tx Repos, l *license.License, fingerprint license.Fingerprint, fresh func() (*license.Machine, error),
) (seat, error) {
	now, of := s.now(), l.Snapshot()
	found, err := tx.Machines.ByFingerprint(ctx, of.ID, fingerprint)
	unknown := errors.Is(err, license.ErrNoMachine)
	switch {
	case unknown && fresh == nil:
		return seat{code: license.MachineMismatch}, nil
	case err != nil && !unknown:
		return seat{}, err
	}
	if unknown || !found.Snapshot().Alive(now.Add(license.ClockSkew)) {
		if free, err := s.room(ctx, tx, of, fingerprint, found); err != nil || !free {
			return seat{code: license.TooManyMachines}, err
		}
	}
	if unknown {
		found, err = fresh()
	} else {
		found.Beat(of, now)
	}
	if err != nil {
		return seat{}, err
	}
	return s.storeMachine(ctx, tx, l, found)
}

// room reports whether a machine may take a place of a license beside the others; known is
// what is stored of it, nil if it was never activated.
func (s *Service) room(ctx context.Context, tx Repos, of license.Snapshot, fingerprint license.Fingerprint, known *license.Machine) (bool, error) {
	there, err := tx.Machines.Alive(ctx, of.ID, s.now())
	if known != nil && known.Snapshot().Alive(s.now()) {
		there--
	}
	if err != nil || there >= license.MostMachines || !license.Room(there, of.Terms.MostMachines()) {
		return false, err
	}
	if known != nil {
		return true, nil
	}
	return s.admit(ctx, tx, of, fingerprint, there)
}

// storeMachine stores a machine that has a place, and that the license was activated.
func (s *Service) storeMachine(ctx context.Context, tx Repos, l *license.License, on *license.Machine) (seat, error) {
	if err := tx.Machines.Save(ctx, on); err != nil {
		return seat{}, err
	}
	if l.Snapshot().ActivatedAt.IsZero() {
		l.Activated(s.now())
		if err := tx.Licenses.Save(ctx, l); err != nil {
			return seat{}, err
		}
	}
	of := l.Snapshot()
	of.Metadata = nil
	shown, machine := view.OfLicense(of, s.now()), view.OfMachine(on.Snapshot(), s.now())
	return seat{code: license.Valid, license: &shown, machine: &machine}, nil
}

// give adds to a license what its product gives.
func (s *Service) give(ctx context.Context, to *view.License) error {
	sold, err := s.Products.Find(ctx, product.Ref(to.ProductID))
	to.Features = to.Features.Over(sold.Features)
	return err
}

// places lists the machines of a license whose places are full; none for another code.
func (s *Service) places(ctx context.Context, of seat) ([]ActiveMachine, error) {
	if of.code != license.TooManyMachines {
		return nil, nil
	}
	lapsed := false
	found, err := s.Machines.List(ctx, licensing.MachineQuery{License: of.id, Lapsed: &lapsed, Now: s.now(), Limit: mostMachines})
	taken := make([]ActiveMachine, len(found))
	for i, one := range found {
		taken[i] = ActiveMachine{Name: one.Name, LastSeen: one.BeatAt}
	}
	return taken, err
}
