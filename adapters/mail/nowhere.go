package mail

import (
	"context"
	"log/slog"

	letters "gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
)

// Nowhere notes in the log that there was a letter, for instances without a mail
// server. Its reader and its text, which may hold a secret, are not told.
type Nowhere struct{ Logger *slog.Logger }

var (
	_ mailing.Mailer = Nowhere{}
	_ mailing.Prober = Nowhere{}
	_ mailing.Server = Nowhere{}
)

// Send logs.
func (n Nowhere) Send(ctx context.Context, letter letters.Letter) error {
	n.Logger.InfoContext(ctx, "an email was not sent: SMTP_URL is not set", "message_id", letter.ID.String())
	return nil
}

// Probe fails: there is no server to talk to.
func (Nowhere) Probe(context.Context, letters.Letter) ([]string, error) {
	return []string{"no conversation: SMTP_URL is not set"}, &letters.Refused{Text: "SMTP_URL is not set"}
}

// Reach fails with letters.ErrNoServer.
func (Nowhere) Reach(context.Context) error { return letters.ErrNoServer }
