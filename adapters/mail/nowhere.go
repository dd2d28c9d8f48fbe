package mail

import (
	"context"
	"log/slog"

	domainmail "gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
)

// LogMailer notes in the log that there was a letter, for instances without a mail
// server. Its reader and its text, which may hold a secret, are not told.
type LogMailer struct{ Logger *slog.Logger }

var (
	_ mailing.Mailer = LogMailer{}
	_ mailing.Prober = LogMailer{}
	_ mailing.Server = LogMailer{}
)

// Send logs.
func (n LogMailer) Send(ctx context.Context, letter domainmail.Letter) error {
	n.Logger.InfoContext(ctx, "an email was not sent: SMTP_URL is not set", "message_id", letter.ID.String())
	return nil
}

// Probe fails: there is no server to talk to.
func (LogMailer) Probe(context.Context, domainmail.Letter) ([]string, error) {
	return []string{"no conversation: SMTP_URL is not set"}, &domainmail.Refused{Text: "SMTP_URL is not set"}
}

// Reach fails with domainmail.ErrNoServer.
func (LogMailer) Reach(context.Context) error { return domainmail.ErrNoServer }
