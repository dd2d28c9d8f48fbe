// Package dns looks records up.
//
// # Decision
//
// Context: a record proves whose a domain is, so what is told of another name must never
// pass for it. Go's own resolver takes every record of an answer, whatever name it is of,
// and follows aliases; neither can be switched off.
//
// Choice: one question of our own to a recursive resolver, the one that is configured or
// those of the machine, by UDP and where the answer does not fit by TCP. Of the answer,
// what stands at the very name that was asked for counts: an alias proves nothing, since
// who runs its target need not run the domain. Packets that answer another question are
// passed over. Everything is bounded: tries, packets, bytes, and time.
//
// What would change our mind: the need for records of other types, or for validation of
// DNSSEC here rather than in the resolver.
package dns

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/ports/outbound"
)

const (
	// patience bounds a look-up, turn one question to one server, of which there are
	// at most tries to each.
	patience = 6 * time.Second
	turn     = 1500 * time.Millisecond
	tries    = 2
	// datagram is how long an answer by UDP may be (RFC 6891; what passes any path).
	datagram = 1232
	// strays is how many packets are passed over that answer another question.
	strays = 16
	// mostTexts is how many texts of a name are read, longestText how long each may be.
	mostTexts   = 100
	longestText = 4096
)

// Errors of look-ups.
var (
	errName   = errors.New("not a valid DNS name")
	errServer = errors.New("the resolver did not answer the question")
	errStray  = errors.New("the response is for a different question")
)

// Resolver asks a recursive resolver.
type Resolver struct {
	// Server is its host:port; empty: those of the machine.
	Server string
	Random outbound.Random
}

var _ outbound.DNS = Resolver{}

// TXT asks for the texts at a name, each server in turn until one answers.
func (r Resolver) TXT(ctx context.Context, name string) ([]string, error) {
	asked, err := dnsmessage.NewName(name + ".")
	if err != nil {
		return nil, errName
	}
	servers := []string{r.Server}
	if r.Server == "" {
		servers = machineServers(resolvConf)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var failures []error
	for range tries {
		for _, server := range servers {
			texts, err := r.ask(ctx, server, asked)
			if err == nil {
				return texts, nil
			}
			failures = append(failures, fmt.Errorf("query %s: %w", server, err))
			if ctx.Err() != nil {
				return nil, errors.Join(failures...)
			}
		}
	}
	return nil, errors.Join(failures...)
}

// ask puts the question to one server.
func (r Resolver) ask(ctx context.Context, server string, name dnsmessage.Name) ([]string, error) {
	q := question{name: name, id: binary.BigEndian.Uint16(r.Random.Bytes(2))}
	packed, err := q.pack()
	if err != nil {
		return nil, err
	}
	found, err := q.exchange(ctx, "udp", server, packed)
	if err == nil && found.truncated {
		found, err = q.exchange(ctx, "tcp", server, packed)
	}
	return found.texts, err
}

// exchange sends a question and reads its answer.
func (q question) exchange(ctx context.Context, network, server string, packed []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, server)
	if err != nil {
		return answer{}, fmt.Errorf("reach the resolver: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if network == "udp" {
		return q.datagrams(conn, packed)
	}
	return q.stream(conn, packed)
}

// datagrams passes over packets that are for somebody else, or forged.
func (q question) datagrams(conn net.Conn, packed []byte) (answer, error) {
	if _, err := conn.Write(packed); err != nil {
		return answer{}, fmt.Errorf("query over UDP: %w", err)
	}
	read := make([]byte, datagram)
	for range strays {
		n, err := conn.Read(read)
		if err != nil {
			return answer{}, fmt.Errorf("read a response over UDP: %w", err)
		}
		if found, err := q.parse(read[:n]); !errors.Is(err, errStray) {
			return found, err
		}
	}
	return answer{}, errStray
}

// stream asks by TCP, where a message follows its length (RFC 1035 section 4.2.2).
func (q question) stream(conn net.Conn, packed []byte) (answer, error) {
	if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)); err != nil {
		return answer{}, fmt.Errorf("query over TCP: %w", err)
	}
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return answer{}, fmt.Errorf("read a response over TCP: %w", err)
	}
	read := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, read); err != nil {
		return answer{}, fmt.Errorf("read a response over TCP: %w", err)
	}
	return q.parse(read)
}

// same reports whether two names are one: case does not tell names apart.
func same(a, b dnsmessage.Name) bool { return strings.EqualFold(a.String(), b.String()) }
