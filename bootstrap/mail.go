package bootstrap

import (
	"fmt"
	"net/http"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/telemetry"
	"gatehouse.internal/application/family/emails"
	"gatehouse.internal/application/mailing"
	"gatehouse.internal/ports/outbound"
)

// Mailer sends letters; it can tell what was said meanwhile, and whether it could.
type Mailer interface {
	outbound.Mailer
	outbound.MailProber
	outbound.MailServer
}

// post is the way out for letters.
type post struct {
	mailer Mailer
	// pages show the last letters, in development.
	pages map[string]http.Handler
}

// post prepares the way out that the configuration names, or takes the one given.
func (c *Config) post(t tools, given Mailer) post {
	p := post{mailer: given}
	switch {
	case given != nil:
	case c.SMTPURL == "":
		p.mailer = mail.Nowhere{Logger: t.logger}
	default:
		p.mailer = &mail.SMTP{Settings: c.smtp, Clock: t.clock}
	}
	if c.Development {
		recent := &mail.Recent{Next: p.mailer, Clock: t.clock}
		p.mailer, p.pages = recent, map[string]http.Handler{"/dev/mail": recent}
	}
	return p
}

func mailingRepos(tx *sqlstore.Tx) mailing.Repos {
	return mailing.Repos{
		Outbox: tx.Outbox(), Users: tx.Users(), Belonging: tx.UserWorkspaces(), Challenges: tx.Challenges(),
		Suppressions: tx.Suppressions(), Templates: tx.MailTemplates(), Events: tx.Events(),
	}
}

// delivery sends the mail that is queued.
func (p *parts) delivery() *mailing.Delivery {
	return &mailing.Delivery{
		Unit: sqlstore.NewUnit(p.store, mailingRepos), Queue: p.store.MailQueue(), Looks: p.store.Looks(),
		Limits: p.limits.admission, Blinder: p.store.Blinder(), Mailer: p.post.mailer,
		Clock: p.clock, Random: p.random, Logger: p.logger, Host: p.config.ServiceHost,
	}
}

// watchMail shows how much mail waits.
func watchMail(metrics *telemetry.Metrics, d *mailing.Delivery) error {
	if err := metrics.WatchQueue("mail", d.Depth); err != nil {
		return fmt.Errorf("prepare metrics: %w", err)
	}
	return nil
}

func (p *parts) emails() *emails.Service {
	return &emails.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) emails.Repos {
			return emails.Repos{Templates: tx.MailTemplates(), Outbox: tx.Outbox(), Suppressions: tx.Suppressions(), Events: tx.Events()}
		}),
		Transactions: p.store,
		Templates:    p.store.MailTemplateDirectory(),
		Looks:        p.store.Looks(),
		Queue:        p.store.MailQueue(),
		Suppressions: p.store.SuppressionDirectory(),
		Prober:       p.post.mailer,
		Clock:        p.clock,
		IDs:          p.ids,
		Cursors:      p.cursors,
	}
}
