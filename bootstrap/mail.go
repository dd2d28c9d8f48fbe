package bootstrap

import (
	"fmt"
	"net/http"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/adapters/sqlstore"
	mailingstore "gatehouse.internal/adapters/sqlstore/mailing"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/telemetry"
	"gatehouse.internal/application/mailing"
	"gatehouse.internal/bootstrap/config"
	mailingport "gatehouse.internal/ports/outbound/mailing"
)

// Mailer sends mails, and shows the recent conversation with the mail server.
type Mailer interface {
	mailingport.Mailer
	mailingport.Prober
	mailingport.Server
}

// post is the outgoing mail of the instance.
type post struct {
	mailer Mailer
	// recent keeps the last mails, in development.
	recent *mail.Recent
}

// pages returns the handlers that list the last mails, in development.
func (p post) pages(host string) map[string]http.Handler {
	if p.recent == nil {
		return nil
	}
	return map[string]http.Handler{"/dev/mail": development.OwnHost(host, p.recent)}
}

// newPost returns the configured outgoing mail, or the given Mailer.
func newPost(c *config.Config, t tools, given Mailer) post {
	p := post{mailer: given}
	switch {
	case given != nil:
	case c.SMTPURL == "":
		p.mailer = mail.LogMailer{Logger: t.logger}
	default:
		p.mailer = &mail.SMTP{Settings: c.SMTP, Clock: t.clock}
	}
	if c.Development {
		p.recent = &mail.Recent{Next: p.mailer, Clock: t.clock}
		p.mailer = p.recent
	}
	return p
}

func mailingRepos(tx *sqlstore.Tx) mailing.Repos {
	return mailing.Repos{
		Outbox: mailingstore.Outbox(tx), Digests: mailingstore.Digests(tx), Users: people.Users(tx), Belonging: workspaces.UserWorkspaces(tx), Challenges: signin.Challenges(tx),
		Suppressions: mailingstore.Suppressions(tx), Templates: mailingstore.Templates(tx), Events: tx.Events(),
	}
}

// delivery returns the service that sends queued mail.
func (p *parts) delivery() *mailing.Delivery {
	return &mailing.Delivery{
		Unit: sqlstore.NewUnit(p.store, mailingRepos), Queue: mailingstore.Queue(p.store), BrandingDirectory: workspaces.BrandingDirectory(p.store),
		Limits: p.limits.admission, Blinder: p.store.Blinder(), Mailer: p.post.mailer,
		Clock: p.clock, Random: p.random, Logger: p.logger, Host: p.config.ServiceHost,
	}
}

// watch registers metrics of the mail queue and of rejected webhooks.
func (p *parts) watch(metrics *telemetry.Metrics, d *mailing.Delivery) error {
	p.payments.Forged = metrics.Forged
	if err := metrics.WatchQueue("mail", d.Depth); err != nil {
		return fmt.Errorf("prepare metrics: %w", err)
	}
	return nil
}
