// Package collector holds what audit streams are sent to: a receiver of syslog, and Splunk's
// HTTP Event Collector, each written from its reference.
package collector

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// Message is a message of RFC 5424.
type Message struct {
	Facility, Severity int
	At                 time.Time
	AppName, MsgID     string
	Text               string
}

// Syslog receives messages of RFC 5424 over TCP or TLS, with octet counting (RFC 6587 section
// 3.4.1, RFC 5425 section 4.3).
type Syslog struct {
	listener net.Listener
	working  sync.WaitGroup
	mu       sync.Mutex
	got      []Message
	broken   []error
	refusing bool
}

// NewSyslog listens on loopback; a configuration makes it TLS.
func NewSyslog(t testing.TB, secured *tls.Config) *Syslog {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if secured != nil {
		listener = tls.NewListener(listener, secured)
	}
	s := &Syslog{listener: listener}
	s.working.Go(s.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		s.working.Wait()
	})
	return s
}

// Address is host:port.
func (s *Syslog) Address() string { return s.listener.Addr().String() }

// Refuse has connections broken off before anything is read, or not any more.
func (s *Syslog) Refuse(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusing = yes
}

// Messages are those that came, with what was no message.
func (s *Syslog) Messages() ([]Message, []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.got...), append([]error(nil), s.broken...)
}

func (s *Syslog) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		refusing := s.refusing
		s.mu.Unlock()
		if refusing {
			if plain, ok := conn.(*net.TCPConn); ok {
				_ = plain.SetLinger(0)
			}
			_ = conn.Close()
			continue
		}
		s.working.Go(func() { s.read(conn) })
	}
}

func (s *Syslog) read(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		m, err := next(in)
		if errors.Is(err, io.EOF) {
			return
		}
		s.mu.Lock()
		if err != nil {
			s.broken = append(s.broken, err)
		} else {
			s.got = append(s.got, m)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// next reads MSG-LEN SP SYSLOG-MSG.
func next(in *bufio.Reader) (Message, error) {
	length, err := in.ReadString(' ')
	if err != nil {
		if length == "" {
			return Message{}, io.EOF
		}
		return Message{}, fmt.Errorf("the length %q: %w", length, err)
	}
	n, err := strconv.Atoi(length[:len(length)-1])
	if err != nil || n < 1 || length[0] == '0' {
		return Message{}, fmt.Errorf("%q is no length", length)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return Message{}, fmt.Errorf("a message of %d octets: %w", n, err)
	}
	return parse(string(text))
}

// form is HEADER SP STRUCTURED-DATA [SP MSG] (RFC 5424 section 6) with a message in UTF-8,
// which begins with a byte order mark.
var form = regexp.MustCompile(`(?s)^<(0|[1-9]\d{0,2})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)|-) ` +
	`([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) (-|(?:\[[^\]]+\])+) ` + "\ufeff(.*)$")

func parse(text string) (Message, error) {
	found := form.FindStringSubmatch(text)
	if found == nil || !utf8.ValidString(text) {
		return Message{}, fmt.Errorf("no message of RFC 5424: %.200q", text)
	}
	priority, err := strconv.Atoi(found[1])
	if err != nil || priority > 191 {
		return Message{}, fmt.Errorf("%s is no priority", found[1])
	}
	at, err := time.Parse(time.RFC3339, found[2])
	if err != nil {
		return Message{}, fmt.Errorf("%s is no time: %w", found[2], err)
	}
	return Message{Facility: priority / 8, Severity: priority % 8, At: at, AppName: found[4], MsgID: found[6], Text: found[8]}, nil
}
