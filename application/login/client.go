package login

import (
	"context"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/ports/outbound"
)

// entering is who is proved, and how they enter.
func (p Proof) entering() outbound.Entering {
	return outbound.Entering{Person: p.UserID, Org: p.Org, Client: device.Describe(p.Call.UserAgent)}
}

// greet notes what somebody logs in with, and tells them of it when the account has
// not seen it lately.
func (s *Service) greet(ctx context.Context, tx Repos, known notice.Client, p Proof) error {
	now := s.Clock.Now()
	news, note := known.Meet(p.Policies.Session.Absolute(), now)
	if note {
		if err := tx.Clients.Note(ctx, p.UserID, device.Describe(p.Call.UserAgent), now); err != nil {
			return err
		}
	}
	if !news {
		return nil
	}
	return tx.Notices.Tell(ctx, p.UserID, notice.NewDevice)
}
