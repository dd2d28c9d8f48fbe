package login

import (
	"context"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/notice"
)

// greet notes what somebody logs in with, and tells them of it when the account has
// not seen it lately.
func (s *Service) greet(ctx context.Context, tx Repos, p Proof) error {
	known, err := tx.Clients.Of(ctx, p.UserID)
	if err != nil {
		return err
	}
	now, client := s.Clock.Now(), device.Describe(p.Call.UserAgent)
	news, note := known.Meet(client, p.Policies.Session.Absolute(), now)
	if note {
		if err := tx.Clients.Note(ctx, p.UserID, client, now); err != nil {
			return err
		}
	}
	if !news {
		return nil
	}
	return tx.Notices.Tell(ctx, p.UserID, notice.NewDevice)
}
