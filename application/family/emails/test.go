package emails

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
)

const (
	// testTimeout is how long the mail server may take.
	testTimeout = 30 * time.Second
	// testsPerMinute bounds how often a mail server is talked to for a test.
	testsPerMinute = 10
)

var errSuppressed = fault.Unfit("/to", "is on the suppression list: remove it with EMAIL.SUPPRESSION_REMOVE")

// TestParams are the parameters of EMAIL.TEST.
type TestParams struct {
	To       email.Address `json:"to" doc:"Recipient of the test email. Must not be on the suppression list."`
	Template mail.Template `json:"template,omitzero" doc:"Template to send with sample data. Its link and code do not work. Defaults to test."`
}

// TestResult is the result of EMAIL.TEST.
type TestResult struct {
	Accepted bool     `json:"accepted" doc:"Whether the mail server accepted the email."`
	SMTPLog  []string `json:"smtp_log" doc:"SMTP conversation with the mail server, line by line, without credentials."`
}

func (s *Service) test() command.Definition {
	return command.Define(command.Spec[TestParams, TestResult]{
		Name:        "EMAIL.TEST",
		Summary:     "Send a test email.",
		Description: "Sends the email now, within 30 seconds, and returns the conversation with the mail server.",
		Access:      access.Superadmin(),
		Effect:      command.Outside,
		Limits:      []limit.Spec{limit.PerMinute(limit.Token, testsPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p TestParams) (TestResult, error) {
			if p.Template == "" {
				p.Template = mail.Test
			}
			letter, err := s.testLetter(ctx, p, call.Caller.Profile.Locale)
			if err != nil {
				return TestResult{}, err
			}
			var said []string
			err = s.Transactions.Pause(ctx, func() (err error) {
				ctx, cancel := context.WithTimeout(ctx, testTimeout)
				defer cancel()
				said, err = s.Prober.Probe(ctx, letter)
				return err
			})
			if said == nil {
				said = []string{}
			}
			return TestResult{Accepted: err == nil, SMTPLog: said}, nil
		},
	})
}

// testLetter writes a letter with sample data. It fails with errSuppressed.
func (s *Service) testLetter(ctx context.Context, p TestParams, locale string) (mail.Letter, error) {
	kept, err := s.Suppressions.List(ctx, mailing.SuppressionQuery{Email: p.To, Limit: 1})
	if err != nil {
		return mail.Letter{}, err
	}
	if len(kept) > 0 {
		return mail.Letter{}, errSuppressed
	}
	found, err := s.find(ctx, "", p.Template, locale)
	if err != nil {
		return mail.Letter{}, err
	}
	values, err := s.sample(ctx, "", p.Template)
	if err != nil {
		return mail.Letter{}, err
	}
	written, err := letters.Render(p.Template, found.source(), values)
	if err != nil {
		return mail.Letter{}, err
	}
	return mail.Letter{ID: mail.NewID(s.IDs), To: p.To, From: values.Service(), Subject: written.Subject, HTML: written.HTML, Text: written.Text}, nil
}
