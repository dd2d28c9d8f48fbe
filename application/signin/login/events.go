package login

import (
	"context"

	"gatehouse.internal/domain/loginevent"
)

// events stores what came of a login: a refusal counts as a failed one. A challenge and the
// creation of an account have events of their own. If a new account is refused, events fails
// with the refusal, so that nothing is stored.
func (s *Service) events(ctx context.Context, tx Repos, e *entry) error {
	switch {
	case e.opened.Challenge != "":
		return nil
	case e.New:
		return e.opened.Refusal
	case e.opened.Refusal == nil:
		return tx.Events.Record(ctx, loginevent.Succeeded{UserID: e.UserID, AMR: e.AMR})
	}
	if _, err := tx.Failures.Count(ctx, s.Clock.Now()); err != nil {
		return err
	}
	return tx.Events.Record(ctx, loginevent.Failed{UserID: e.UserID, Reason: e.reason})
}
