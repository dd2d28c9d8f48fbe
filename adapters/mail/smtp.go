package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	domainmail "gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
)

// stepTimeout bounds each part of a conversation: to connect, to greet and
// authenticate, to hand over. The caller's context bounds the whole.
const stepTimeout = 20 * time.Second

// SMTP hands letters to a mail server.
type SMTP struct {
	Settings Settings
	Clock    outbound.Clock
	// TLS is for tests whose server has a certificate of its own; nil checks that of
	// the server against the system's authorities.
	TLS *tls.Config
}

var (
	_ mailing.Mailer = (*SMTP)(nil)
	_ mailing.Prober = (*SMTP)(nil)
	_ mailing.Server = (*SMTP)(nil)
)

// Send hands a letter over.
func (s *SMTP) Send(ctx context.Context, letter domainmail.Letter) error {
	_, err := s.Probe(ctx, letter)
	return err
}

// Probe hands a letter over and returns what was said.
func (s *SMTP) Probe(ctx context.Context, letter domainmail.Letter) ([]string, error) {
	message, err := s.message(letter)
	if err != nil {
		return nil, fmt.Errorf("write a mail: %w", err)
	}
	said := &conversation{}
	client, err := gomail.NewClient(s.Settings.Host, s.options(ctx, said)...)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection to the mail server: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, message)
	if err == nil || message.IsDelivered() {
		said.note("the server accepted the email: " + message.ServerResponse())
		return said.lines, nil // One that then forgets to say goodbye has it all the same.
	}
	said.note("failed: " + err.Error())
	return said.lines, judge(err)
}

// Reach begins a conversation and ends it.
func (s *SMTP) Reach(ctx context.Context) error {
	client, err := gomail.NewClient(s.Settings.Host, s.options(ctx, &conversation{})...)
	if err != nil {
		return fmt.Errorf("prepare a connection to the mail server: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	_ = client.Close() // One that forgets to say goodbye would take letters all the same.
	return nil
}

func (s *SMTP) options(whole context.Context, said *conversation) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.Settings.Port), gomail.WithTimeout(stepTimeout), gomail.WithoutNoop(),
		gomail.WithLogger(said), gomail.WithDebugLog(), gomail.WithTLSConfig(s.tls()),
		gomail.WithDialContextFunc(func(ctx context.Context, _, address string) (net.Conn, error) {
			return s.dial(ctx, whole, address)
		}),
	}
	switch {
	case s.Settings.Implicit:
		options = append(options, gomail.WithSSL())
	case s.Settings.Plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.Settings.User.Empty() {
		return options
	}
	return append(options,
		gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5),
		gomail.WithUsername(s.Settings.User.Reveal()), gomail.WithPassword(s.Settings.Password.Reveal()))
}

func (s *SMTP) tls() *tls.Config {
	if s.TLS != nil {
		return s.TLS.Clone()
	}
	return &tls.Config{ServerName: s.Settings.Host, MinVersion: tls.VersionTLS12}
}

// dial connects; the end of the whole conversation's context ends the connection.
func (s *SMTP) dial(ctx, whole context.Context, address string) (net.Conn, error) {
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	held := leash(whole, raw)
	if !s.Settings.Implicit {
		return held, nil
	}
	encrypted := tls.Client(held, s.tls())
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return encrypted, nil
}

// message puts a letter into the form of mail (RFC 5322), as text with HTML beside.
func (s *SMTP) message(letter domainmail.Letter) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := mail.Address{Name: cmp.Or(s.Settings.From.Name, letter.From), Address: s.Settings.From.Address}
	m.FromMailAddress(&from)
	m.ToMailAddress(&mail.Address{Address: letter.To.String()})
	if len(m.GetTo()) != 1 || len(m.GetFrom()) != 1 {
		return nil, errors.New("invalid email address")
	}
	m.Subject(letter.Subject)
	m.SetDateWithValue(s.Clock.Now())
	_, domain, _ := strings.Cut(s.Settings.From.Address, "@")
	m.SetMessageIDWithValue(letter.ID.String() + "@" + domain)
	// RFC 3834: nobody's absence is told to a machine.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	m.SetBodyString(gomail.TypeTextPlain, letter.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	return m, nil
}

// judge classifies an error. What the server says to the recipient or to the
// letter itself is about this letter; refusals before that are about the
// configuration, and are tried again.
func judge(err error) error {
	failed, ok := errors.AsType[*gomail.SendError](err)
	if !ok || failed.ErrorCode() == 0 {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	const permanent = 500
	about := failed.Reason == gomail.ErrSMTPRcptTo || failed.Reason == gomail.ErrSMTPData || failed.Reason == gomail.ErrSMTPDataClose
	return &domainmail.Refused{
		Permanent: about && failed.ErrorCode() >= permanent,
		Text:      answer(failed),
	}
}
