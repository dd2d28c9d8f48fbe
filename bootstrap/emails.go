package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/mailing"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/emails"
	"gatehouse.internal/domain/mail"
)

func (p *parts) emails() family {
	return family{
		service: &emails.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) emails.Repos {
				return emails.Repos{Templates: mailing.Templates(tx), Outbox: mailing.Outbox(tx), Suppressions: mailing.Suppressions(tx), Events: tx.Events()}
			}),
			Transactions:      p.store,
			Templates:         mailing.TemplateDirectory(p.store),
			BrandingDirectory: workspaces.BrandingDirectory(p.store),
			Queue:             mailing.Queue(p.store),
			Suppressions:      mailing.SuppressionDirectory(p.store),
			Prober:            p.post.mailer,
			Clock:             p.clock,
			IDs:               p.ids,
			Cursors:           p.cursors,
		},
		events: mail.Events(),
	}
}
