package mail_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/email"
	domainmail "gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/fake/mailbox"
)

func letter(to string) domainmail.Letter {
	return domainmail.Letter{
		ID: "eml_01jd7x9k2mf3q8v5t0abcdefgh", To: email.Restore(to),
		Subject: "Grüße an Ada", Text: "Hallo Ada,\nböse.\n.\nEnde", HTML: "<p>Hallo <b>Ada</b></p>",
	}
}

// client sends to a server without TLS.
func client(t *testing.T, url string) *mail.SMTP {
	t.Helper()
	settings, err := mail.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	if settings.From, err = mail.ParseFrom("Gate & House <no-reply@example.com>"); err != nil {
		t.Fatal(err)
	}
	return &mail.SMTP{Settings: settings, Clock: system.Clock{}}
}

func TestLetterArrivesAsItWasWritten(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{Auth: true})
	for _, to := range []string{"ada@example.com", "adä@example.com"} {
		if err := client(t, server.URL()).Send(t.Context(), letter(to)); err != nil {
			t.Fatalf("to %s: %v", to, err)
		}
	}
	got := server.Letters()
	if len(got) != 2 || got[0].To != "ada@example.com" || got[1].To != "adä@example.com" || got[0].From != "no-reply@example.com" {
		t.Fatalf("got %+v", got)
	}
	want := letter("ada@example.com")
	if text := strings.ReplaceAll(got[0].Text, "\r\n", "\n"); got[0].Subject != want.Subject || text != want.Text || got[0].HTML != want.HTML {
		t.Errorf("subject %q, text %q, html %q", got[0].Subject, got[0].Text, got[0].HTML)
	}
	headers := map[string]string{
		"Message-Id": "<eml_01jd7x9k2mf3q8v5t0abcdefgh@example.com>", "From": `"Gate & House" <no-reply@example.com>`,
		"To": "<ada@example.com>", "Auto-Submitted": "auto-generated", "User-Agent": "", "X-Mailer": "",
	}
	for name, value := range headers {
		if got[0].Header.Get(name) != value {
			t.Errorf("%s: %s, want %s", name, got[0].Header.Get(name), value)
		}
	}
	if _, err := got[0].Header.Date(); err != nil {
		t.Errorf("date: %v", err)
	}
}

// The service's own name stands where MAIL_FROM gives none.
func TestSenderHasAName(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{})
	for from, want := range map[string]string{
		"no-reply@example.com":           `"Acme & Sons" <no-reply@example.com>`,
		"Someone <no-reply@example.com>": `"Someone" <no-reply@example.com>`,
	} {
		mine := client(t, server.URL())
		var err error
		if mine.Settings.From, err = mail.ParseFrom(from); err != nil {
			t.Fatal(err)
		}
		named := letter("ada@example.com")
		named.From = "Acme & Sons"
		if err := mine.Send(t.Context(), named); err != nil {
			t.Fatal(err)
		}
		got := server.Letters()
		if sender := got[len(got)-1].Header.Get("From"); sender != want {
			t.Errorf("MAIL_FROM=%s sends as %s, want %s", from, sender, want)
		}
	}
}

func TestSubjectCannotAddHeaders(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{})
	crafted := letter("ada@example.com")
	crafted.Subject = "x\r\nBcc: eve@example.com\r\n\r\nbody"
	if err := client(t, server.URL()).Send(t.Context(), crafted); err != nil {
		return // refusing is as good
	}
	if got := server.Letters()[0]; got.Header.Get("Bcc") != "" {
		t.Errorf("a header was added: %s", got.Raw)
	}
}

func TestRefusalsAreDistinguished(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		arrange   func(*mailbox.Server)
		permanent bool
		text      string
	}{
		{
			"no such mailbox", func(s *mailbox.Server) {
				s.RefuseRecipients(550, "<ada@example.com>: user unknown, ask postmaster@example.com")
			}, true,
			"the mail server responded: 550 5.1.1 <address>: user unknown, ask <address>",
		},
		{"greylisted", func(s *mailbox.Server) { s.RefuseRecipients(451, "later") }, false, "the mail server responded: 451 4.1.1 later"},
		{"spam", func(s *mailbox.Server) { s.RefuseLetters(554, "spam") }, true, "the mail server responded: 554 5.1.1 spam"},
		{"full", func(s *mailbox.Server) { s.RefuseLetters(452, "full") }, false, "the mail server responded: 452 4.1.1 full"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := mailbox.Start(t, mailbox.Options{})
			test.arrange(server)
			err := client(t, server.URL()).Send(t.Context(), letter("ada@example.com"))
			refused, ok := errors.AsType[*domainmail.Refused](err)
			if !ok || refused.Permanent != test.permanent || refused.Text != test.text {
				t.Errorf("got %v (%+v), want %q, permanent %t", err, refused, test.text, test.permanent)
			}
		})
	}
}

func TestMistakesOfTheConfigurationAreNoRefusals(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{Auth: true})
	for name, url := range map[string]string{
		"no credentials":    "smtp://" + server.Address(),
		"wrong credentials": "smtp://gatehouse:wrong-secret-9@" + server.Address(),
	} {
		said, err := client(t, url).Probe(t.Context(), letter("ada@example.com"))
		if refused, ok := errors.AsType[*domainmail.Refused](err); err == nil || ok && refused.Permanent {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(strings.Join(said, "\n"), "wrong-secret-9") {
			t.Errorf("%s: the password is told", name)
		}
	}
	server.Down()
	if err := client(t, server.URL()).Send(t.Context(), letter("ada@example.com")); err == nil {
		t.Error("a server that is down took a letter")
	} else if _, ok := errors.AsType[*domainmail.Refused](err); ok {
		t.Errorf("a server that is down refused: %v", err)
	}
}

func TestConversationTellsNoSecret(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{Auth: true})
	said, err := client(t, server.URL()).Probe(t.Context(), letter("ada@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"C: EHLO", "C: MAIL FROM:<no-reply@example.com>", "C: RCPT TO:<ada@example.com>", "redacted", "the server accepted the email"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	for _, secret := range []string{mailbox.Password, "Z2F0ZWhvdXNl", "Hallo"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is told in %s", secret, all)
		}
	}
}

func TestSlowServerEndsWithTheContext(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{})
	server.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for now, _ := server.AtOnce(); now == 0; now, _ = server.AtOnce() {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	began := time.Now()
	if err := client(t, server.URL()).Send(ctx, letter("ada@example.com")); err == nil {
		t.Error("a server that says nothing took a letter")
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := client(t, "smtp://"+silent.Addr().String()).Send(late, letter("ada@example.com")); err == nil {
		t.Error("a server that does not greet took a letter")
	}
}

// certified is a certificate of 127.0.0.1, and who believes it.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(made)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		&tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := certified(t)
	for _, implicit := range []bool{false, true} {
		server := mailbox.Start(t, mailbox.Options{TLS: ours, Implicit: implicit, Auth: true})
		sender := client(t, "smtp://127.0.0.1")
		host, port, _ := strings.Cut(server.Address(), ":")
		sender.Settings.Host, sender.Settings.Implicit, sender.Settings.Plain = host, implicit, false
		sender.Settings.Port, _ = strconv.Atoi(port)
		sender.Settings.User, sender.Settings.Password = secret.New(mailbox.User), secret.New(mailbox.Password)
		if err := sender.Send(t.Context(), letter("ada@example.com")); err == nil {
			t.Errorf("implicit %t: a certificate of nobody is believed", implicit)
		}
		sender.TLS = theirs
		if err := sender.Send(t.Context(), letter("ada@example.com")); err != nil {
			t.Errorf("implicit %t: %v", implicit, err)
		}
		if got := server.Letters(); len(got) != 1 || !got[0].Encrypted && !implicit {
			t.Errorf("implicit %t: got %+v", implicit, got)
		}
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	ours, theirs := certified(t)
	server := mailbox.Start(t, mailbox.Options{TLS: ours, Auth: true})
	sender := client(t, server.URL())
	sender.Settings.Plain, sender.TLS = false, theirs
	if err := sender.Reach(t.Context()); err != nil {
		t.Errorf("Reach() = %v", err)
	}
	strange := *sender
	strange.TLS = nil
	if strange.Reach(t.Context()) == nil {
		t.Error("a certificate of nobody is believed")
	}
	wrong := *sender
	wrong.Settings.Password = secret.New("wrong-secret-9")
	if err := wrong.Reach(t.Context()); err == nil || strings.Contains(err.Error(), "wrong-secret-9") {
		t.Errorf("Reach() with a wrong password = %v", err)
	}
	if got := server.Letters(); len(got) != 0 {
		t.Errorf("letters were sent: %+v", got)
	}
	server.Down()
	if sender.Reach(t.Context()) == nil {
		t.Error("a server that is down is reached")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if client(t, "smtp://"+silent.Addr().String()).Reach(late) == nil {
		t.Error("a server that does not greet is reached")
	}
	if err := (&mail.Recent{Next: mail.LogMailer{}}).Reach(t.Context()); !errors.Is(err, domainmail.ErrNoServer) {
		t.Errorf("Reach() without a server = %v", err)
	}
}

func TestNoTLSNoLetter(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{})
	sender := client(t, server.URL())
	sender.Settings.Plain = false
	if err := sender.Send(t.Context(), letter("ada@example.com")); err == nil || len(server.Letters()) > 0 {
		t.Errorf("a letter went out in clear: %v", err)
	}
}
