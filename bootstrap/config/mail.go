package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/application/family/system"
)

// MailConfig configures outgoing mail.
type MailConfig struct {
	// SMTPURL is the mail server; if empty, mails are only logged.
	SMTPURL string `env:"SMTP_URL"`
	// MailFrom is the sender.
	MailFrom string `env:"MAIL_FROM"`

	// SMTP are the parsed SMTPURL and MailFrom.
	SMTP mail.Settings
}

func (c *MailConfig) checkMail() error {
	var mistakes []error
	c.SMTP = mail.Settings{}
	if c.SMTPURL != "" {
		var err error
		if c.SMTP, err = mail.ParseURL(c.SMTPURL); err != nil {
			mistakes = append(mistakes, fmt.Errorf("SMTP_URL is not a valid mail server URL: %w", err))
		}
	}
	switch from, err := mail.ParseFrom(c.MailFrom); {
	case c.MailFrom == "" && c.SMTPURL != "":
		mistakes = append(mistakes, errors.New("MAIL_FROM is missing: set it to the sender of mails, such as Example <no-reply@example.com>"))
	case c.MailFrom != "" && err != nil:
		mistakes = append(mistakes, fmt.Errorf("MAIL_FROM is not a valid sender: %w", err))
	default:
		c.SMTP.From = from
	}
	return errors.Join(mistakes...)
}

func (c *Config) mailFindings(add func(when bool, f system.Finding)) {
	add(c.SMTPURL == "" && !c.Development, system.Finding{
		Variable: "SMTP_URL", Severity: system.Warning,
		Message: "no mail is sent: users cannot verify email addresses or reset passwords", Mend: "set it to the mail server, such as smtp://user:password@smtp.example.com:587, and MAIL_FROM to the sender",
	})
	add(c.SMTPURL != "" && c.SMTP.User.Empty() && !c.SMTP.Plain, system.Finding{
		Variable: "SMTP_URL", Severity: system.Warning,
		Message: "the service does not authenticate to the mail server", Mend: "add user and password to the URL, unless the server accepts this machine by its IP address",
	})
}

// DNSConfig configures DNS lookups.
type DNSConfig struct {
	// DNSResolver is the host:port of a recursive resolver; empty for those of the
	// machine.
	DNSResolver string `env:"DNS_RESOLVER"`
}

func (c *DNSConfig) checkDNS() error {
	if c.DNSResolver == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(c.DNSResolver)
	number, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil || number == 0 || host == "" {
		return errors.New("DNS_RESOLVER is not a host:port: set it to a recursive resolver, such as 127.0.0.1:53")
	}
	return nil
}
