package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
)

// Mailer hands letters to a mail server.
type Mailer interface {
	// Send answers nil once the server has taken the letter over. It fails with a
	// *mail.Refused when the server answered otherwise.
	Send(ctx context.Context, letter mail.Letter) error
}

// Prober sends one letter and returns what was said.
type Prober interface {
	// Probe returns the conversation with the server line by line, without credentials;
	// its error is that of Mailer.Send.
	Probe(ctx context.Context, letter mail.Letter) ([]string, error)
}

// Server is asked whether it would take letters.
type Server interface {
	// Reach connects, and secures and authenticates that as configured, and hands
	// nothing over. It fails with mail.ErrNoServer where none is configured.
	Reach(ctx context.Context) error
}
