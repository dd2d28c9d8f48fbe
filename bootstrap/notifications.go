package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/application/family/notifications"
	"gatehouse.internal/domain/notice"
)

func (p *parts) notifications() family {
	return family{
		service: &notifications.Service{
			Unit:      sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) notifications.Repos { return notifications.Repos{Notices: people.Notices(tx)} }),
			Directory: people.NoticeDirectory(p.store),
			Clock:     p.clock,
			Cursors:   p.cursors,
		},
		events: notice.Events(),
	}
}
