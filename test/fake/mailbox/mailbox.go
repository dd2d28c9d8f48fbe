// Package mailbox is a mail server on the loopback interface, for tests: it takes
// letters by SMTP and shows them, and it can be told to misbehave.
package mailbox

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The account that the server knows.
const (
	User     = "gatehouse"
	Password = "mail-secret-7Qw"
)

// Options are how the server is reached.
type Options struct {
	// TLS offers STARTTLS or, with Implicit, speaks TLS from the first byte.
	TLS      *tls.Config
	Implicit bool
	// Auth takes letters of the account alone.
	Auth bool
}

// Server is a running mail server.
type Server struct {
	t       testing.TB
	options Options
	address string

	mu      sync.Mutex
	running *smtp.Server
	letters []Letter
	rcpt    error
	data    error
	held    chan struct{}
	now     int
	most    int
}

// Letter is a mail that the server took.
type Letter struct {
	From, To  string
	Encrypted bool
	Header    mail.Header
	Subject   string
	Text      string
	HTML      string
	// Raw is all of it.
	Raw string
}

// Start starts a server, until the test ends.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	s := &Server{t: t, options: options, address: "127.0.0.1:0"}
	s.Up()
	t.Cleanup(func() {
		s.Resume()
		s.Down()
	})
	return s
}

// Address is where the server listens.
func (s *Server) Address() string { return s.address }

// URL is that of the server without TLS, as SMTP_URL holds it.
func (s *Server) URL() string {
	if s.options.Auth {
		return "smtp://" + User + ":" + Password + "@" + s.address
	}
	return "smtp://" + s.address
}

// Up lets the server listen, at the address that it had before.
func (s *Server) Up() {
	s.t.Helper()
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatalf("listen for mail: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.address = listener.Addr().String()
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{server: s, conn: c}, nil }))
	server.Domain, server.AllowInsecureAuth, server.EnableSMTPUTF8 = "mx.example.com", true, true
	server.ErrorLog = log.New(io.Discard, "", 0)
	if s.options.TLS != nil && !s.options.Implicit {
		server.TLSConfig = s.options.TLS
	}
	if s.options.Implicit {
		listener = tls.NewListener(listener, s.options.TLS)
	}
	s.running = server
	go func() { _ = server.Serve(listener) }() // it ends by Down
}

// Down ends the server: connections are refused.
func (s *Server) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		_ = s.running.Close()
		s.running = nil
	}
}

// RefuseRecipients answers every recipient with an error from now on; nil takes
// them again.
func (s *Server) RefuseRecipients(code int, text string) { s.set(&s.rcpt, code, text) }

// RefuseLetters answers every letter with an error from now on.
func (s *Server) RefuseLetters(code int, text string) { s.set(&s.data, code, text) }

func (s *Server) set(where *error, code int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*where = nil
	if code != 0 {
		*where = &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: text}
	}
}

// Hold lets the server take letters and not answer, until Resume.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = make(chan struct{})
}

// Resume lets it answer.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// Letters are those that the server took, in the order it did.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Letter(nil), s.letters...)
}

// AtOnce is how many letters were under way at once, now and at most.
func (s *Server) AtOnce() (now, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.most
}

type session struct {
	server   *Server
	conn     *smtp.Conn
	from, to string
	known    bool
}

// AuthMechanisms offers PLAIN where letters are taken of the account alone.
func (s *session) AuthMechanisms() []string {
	if s.server.options.Auth {
		return []string{sasl.Plain}
	}
	return nil
}

// Auth checks the account.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

// Mail begins a letter.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.options.Auth && !s.known {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

// Rcpt takes a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.to = to
	return s.server.rcpt
}

// Data takes a letter.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	letter, err := read(string(raw))
	if err != nil {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: err.Error()}
	}
	letter.From, letter.To = s.from, s.to
	_, letter.Encrypted = s.conn.TLSConnectionState()
	s.server.wait()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.data == nil {
		s.server.letters = append(s.server.letters, letter)
	}
	return s.server.data
}

func (s *Server) wait() {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	held := s.held
	s.mu.Unlock()
	if held != nil {
		<-held
	}
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
}

// Reset ends a letter.
func (s *session) Reset() { s.from, s.to = "", "" }

// Logout ends the session.
func (s *session) Logout() error { return nil }

// read takes a letter apart.
func read(raw string) (Letter, error) {
	message, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return Letter{}, err
	}
	letter := Letter{Header: message.Header, Raw: raw}
	if letter.Subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil {
		return letter, err
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return letter, errors.New("not of two alternatives")
	}
	for parts := multipart.NewReader(message.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return letter, nil
		}
		if err != nil {
			return letter, err
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return letter, err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			letter.HTML = string(text)
		} else {
			letter.Text = string(text)
		}
	}
}
