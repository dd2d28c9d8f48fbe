package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

var _ webhooks.Shipper = (*Sender)(nil)

// The schemes of collectors that speak syslog.
const (
	syslogTCP = "syslog+tcp"
	syslogTLS = "syslog+tls"
)

var errSyslog = errors.New("must be the URL of a syslog collector, such as syslog+tls://siem.example.com:6514")

// shipError is why a collector did not take a batch, in words for the owner of the stream.
type shipError string

func (e shipError) Error() string { return string(e) }

// CheckStream reads the address of a collector as it is read when something is sent.
func (s *Sender) CheckStream(kind auditstream.Kind, address string) error {
	if kind != auditstream.Syslog {
		return s.Check(address)
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.User != nil || parsed.Fragment != "" || parsed.RawQuery != "" || strings.Trim(parsed.Path, "/") != "",
		parsed.Scheme != syslogTCP && parsed.Scheme != syslogTLS, parsed.Hostname() == "", parsed.Port() == "":
		return errSyslog
	}
	// 514 and 601 are the ports of syslog itself (RFC 3164, RFC 3195).
	if parsed.Port() != "514" && parsed.Port() != "601" {
		if err := port(parsed); err != nil {
			return err
		}
	}
	if s.guard.host(parsed.Hostname()) != nil {
		return errInward
	}
	return nil
}

// Ship sends a batch to a collector.
func (s *Sender) Ship(ctx context.Context, to auditstream.Snapshot, batch webhooks.Batch, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	err := s.CheckStream(to.Kind, to.URL)
	if err != nil {
		return shipError("the URL " + err.Error())
	}
	switch to.Kind {
	case auditstream.Syslog:
		err = s.syslog(ctx, to.URL, batch)
	case auditstream.Splunk:
		err = s.splunk(ctx, to, batch)
	default:
		err = s.lines(ctx, to, batch, at)
	}
	var explained shipError
	if err != nil && !errors.As(err, &explained) {
		return shipError(explain(err))
	}
	return err
}

// lines posts JSON lines, signed as a message of Standard Webhooks.
func (s *Sender) lines(ctx context.Context, to auditstream.Snapshot, batch webhooks.Batch, at time.Time) error {
	message := webhook.Message{ID: batch.ID, Body: append(bytes.Join(batch.Lines, []byte("\n")), '\n')}
	key, err := webhook.ParseSecret(to.Secret)
	if err != nil {
		return shipError("the secret is not a Standard Webhooks secret")
	}
	signed := webhook.Snapshot{Secrets: []webhook.Secret{{Key: key}}}
	return s.put(ctx, to.URL, message.Body, map[string]string{
		"Content-Type": "application/x-ndjson", "Webhook-Id": message.ID, "Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10),
		"Webhook-Signature": signed.Sign(message, at),
	})
}

// splunk posts events as the HTTP Event Collector takes them, one JSON object after another.
func (s *Sender) splunk(ctx context.Context, to auditstream.Snapshot, batch webhooks.Batch) error {
	var body bytes.Buffer
	for i, line := range batch.Lines {
		at := batch.Events[i].At
		_, _ = fmt.Fprintf(&body, `{"time":%d.%06d,"source":"gatehouse","sourcetype":"gatehouse:audit","event":%s}`+"\n", at.Unix(), at.Nanosecond()/1000, line)
	}
	return s.put(ctx, to.URL, body.Bytes(), map[string]string{"Content-Type": "application/json", "Authorization": "Splunk " + to.Secret})
}

// put posts a batch; anything but 2xx is a refusal.
func (s *Sender) put(ctx context.Context, address string, body []byte, headers map[string]string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errAddress
	}
	request.Header.Set("User-Agent", "Gatehouse-Audit/"+s.options.Version)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, readUpTo))
	if answer.StatusCode < http.StatusOK || answer.StatusCode >= http.StatusMultipleChoices {
		return shipError("the receiver responded with HTTP status " + strconv.Itoa(answer.StatusCode))
	}
	return nil
}

// closing is how long a collector has to say that a connection broke, after everything was
// written: syslog has no answers (RFC 6587 section 3).
const closing = time.Second

// halfCloser is a connection whose sending half can be closed alone.
type halfCloser interface {
	io.ReadWriter
	CloseWrite() error
}

// syslog writes a batch over a connection of its own.
func (s *Sender) syslog(ctx context.Context, address string, batch webhooks.Batch) error {
	to, err := url.Parse(address)
	if err != nil {
		return errSyslog
	}
	dialer := net.Dialer{Timeout: min(connectTime, s.options.Timeout), Resolver: s.options.Resolver, Control: s.guard.guardian.Safe}
	conn, err := dialer.DialContext(ctx, "tcp", to.Host)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if until, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(until)
	}
	var stream halfCloser = conn.(*net.TCPConn) //nolint:forcetypeassert // tcp was dialed
	if to.Scheme == syslogTLS {
		secured := tls.Client(conn, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.options.Roots, ServerName: to.Hostname()})
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		stream = secured
	}
	var body bytes.Buffer
	for i, line := range batch.Lines {
		message := rfc5424(batch.Events[i], line)
		_, _ = fmt.Fprintf(&body, "%d ", len(message)) // octet counting
		body.Write(message)
	}
	if _, err := stream.Write(body.Bytes()); err != nil {
		return err
	}
	if err := stream.CloseWrite(); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(closing)) //nolint:forbidigo // a deadline of the network
	_, err = stream.Read(make([]byte, 1))
	var late net.Error
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &late) && late.Timeout() {
		return nil
	}
	return err
}

// rfc5424 returns an event as a message (RFC 5424 section 6): facility 13, log audit; severity
// notice, or warning for what was refused. The kind is the MSGID, and the message is JSON.
func rfc5424(r event.Record, line []byte) []byte {
	const notice, warning = 13*8 + 5, 13*8 + 4
	priority := notice
	if r.Outcome == event.Failure {
		priority = warning
	}
	const longestID = 32
	kind := string(r.Kind[:min(len(r.Kind), longestID)])
	header := fmt.Sprintf("<%d>1 %s - gatehouse - %s - ", priority, r.At.UTC().Format("2006-01-02T15:04:05.000000Z"), kind)
	return append([]byte(header+"\ufeff"), line...)
}
