package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
)

// Mailer sends mails to a mail server.
type Mailer interface {
	// Send returns nil once the server has accepted the mail. It fails with a
	// *mail.Refused if the server rejected it.
	Send(ctx context.Context, letter mail.Letter) error
}

// Prober sends a mail and returns the conversation.
type Prober interface {
	// Probe returns the lines of the conversation with the server, without credentials.
	// It fails like Mailer.Send.
	Probe(ctx context.Context, letter mail.Letter) ([]string, error)
}

// Server tests the connection to the mail server.
type Server interface {
	// Reach connects with the configured security and authentication, and sends
	// nothing. It fails with mail.ErrNoServer if no server is configured.
	Reach(ctx context.Context) error
}
