// Package nameserver is a recursive resolver on the loopback interface, for tests: it
// answers by UDP and TCP from what it was told, and it can be told to misbehave.
package nameserver

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// largest is how long an answer by UDP is at most.
const largest = 1232

// Server is a running resolver.
type Server struct {
	t      testing.TB
	udp    net.PacketConn
	tcp    net.Listener
	served sync.WaitGroup
	// begin begins to serve, once.
	begin func()

	mu      sync.Mutex
	texts   map[string][][]string
	asked   []string
	twisted Twist
}

// Twist changes an answer before it is sent, each message that it returns; none: the
// question stays unanswered.
type Twist func(answer dnsmessage.Message) []dnsmessage.Message

// Start makes a resolver, until the test ends. It answers from the first time that it is
// told something: until then no goroutine of it keeps the time of a synctest bubble from
// passing.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, texts: map[string][][]string{}}
	for s.tcp == nil {
		var err error
		if s.udp, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
			t.Fatalf("listen for DNS: %v", err)
		}
		if s.tcp, err = net.Listen("tcp", s.Address()); err != nil {
			_ = s.udp.Close() // The port is another's for TCP.
		}
	}
	s.begin = sync.OnceFunc(func() {
		s.served.Go(s.serveUDP)
		s.served.Go(s.serveTCP)
	})
	t.Cleanup(s.Down)
	return s
}

// Address is where the resolver listens.
func (s *Server) Address() string { return s.udp.LocalAddr().String() }

// Down stops the resolver for good.
func (s *Server) Down() {
	s.Twist(nil)
	_ = s.udp.Close() // A second time it is closed already.
	_ = s.tcp.Close()
	s.served.Wait()
}

// Publish sets the texts that stand at a name, each one record.
func (s *Server) Publish(name string, texts ...string) {
	records := make([][]string, len(texts))
	for i, text := range texts {
		records[i] = []string{text}
	}
	s.PublishStrings(name, records...)
}

// PublishStrings is Publish for records of several strings.
func (s *Server) PublishStrings(name string, records ...[]string) {
	s.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[fold(name)] = records
}

// Twist makes the resolver misbehave, or behave again.
func (s *Server) Twist(how Twist) {
	if how != nil {
		s.begin()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.twisted = how
}

// Asked are the names that were asked for, in order.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.asked...)
}

func (s *Server) serveUDP() {
	read := make([]byte, largest)
	for {
		n, from, err := s.udp.ReadFrom(read)
		if err != nil {
			return // closed
		}
		for _, answer := range s.answers(read[:n]) {
			packed, err := answer.Pack()
			if err != nil {
				s.t.Errorf("write an answer: %v", err)
				continue
			}
			if len(packed) > largest {
				answer.Truncated, answer.Answers = true, nil
				packed, _ = answer.Pack()
			}
			_, _ = s.udp.WriteTo(packed, from) // Who asked may be gone.
		}
	}
}

func (s *Server) serveTCP() {
	for {
		conn, err := s.tcp.Accept()
		if err != nil {
			return // closed
		}
		s.serveStream(conn)
		_ = conn.Close()
	}
}

func (s *Server) serveStream(conn net.Conn) {
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return
	}
	read := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, read); err != nil {
		return
	}
	for _, answer := range s.answers(read) {
		packed, err := answer.Pack()
		if err != nil || len(packed) > 1<<16-1 {
			s.t.Errorf("write an answer of %d bytes: %v", len(packed), err)
			return
		}
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)) // Who asked may be gone.
	}
}

// answers answers a question.
func (s *Server) answers(packed []byte) []dnsmessage.Message {
	var m dnsmessage.Message
	if err := m.Unpack(packed); err != nil || len(m.Questions) != 1 {
		s.t.Errorf("asked %x: %v", packed, err)
		return nil
	}
	asked := m.Questions[0].Name
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: m.Questions,
	}
	s.mu.Lock()
	s.asked = append(s.asked, fold(asked.String()))
	records, known := s.texts[fold(asked.String())]
	twisted := s.twisted
	s.mu.Unlock()
	if !known {
		answer.RCode = dnsmessage.RCodeNameError
	}
	for _, texts := range records {
		answer.Answers = append(answer.Answers, TXT(asked, texts...))
	}
	if twisted != nil {
		return twisted(answer)
	}
	return []dnsmessage.Message{answer}
}

// TXT is a record of texts.
func TXT(name dnsmessage.Name, texts ...string) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: name, Type: dnsmessage.TypeTXT, Class: dnsmessage.ClassINET, TTL: 60},
		Body:   &dnsmessage.TXTResource{TXT: texts},
	}
}

// Alias is a record which says that a name stands for another.
func Alias(name, to dnsmessage.Name) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: name, Type: dnsmessage.TypeCNAME, Class: dnsmessage.ClassINET, TTL: 60},
		Body:   &dnsmessage.CNAMEResource{CNAME: to},
	}
}

func fold(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
