package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// conversation is an HTTP/1.1 connection that stays open. It does as little as
// it can: client and server share the machine, and what the client spends is
// taken from what is measured.
type conversation struct {
	net  net.Conn
	in   *bufio.Reader
	body []byte
}

// patience bounds how long one answer is waited for.
const patience = 30 * time.Second

var errAnswer = errors.New("the answer is not HTTP/1.1 with a Content-Length")

func dial(ctx context.Context, address string) (*conversation, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return &conversation{net: c, in: bufio.NewReaderSize(c, 16<<10)}, nil
}

// ask sends one request and returns status and body of the answer; the body is
// good until the next call.
func (c *conversation) ask(request []byte) (int, []byte, error) {
	if err := c.net.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := c.net.Write(request); err != nil {
		return 0, nil, fmt.Errorf("send a request: %w", err)
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil || len(line) < len("HTTP/1.1 200\r\n") {
		return 0, nil, fmt.Errorf("read the status: %w", errors.Join(err, errAnswer))
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, nil, errAnswer
	}
	length, err := c.length()
	if err != nil {
		return 0, nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.in, c.body); err != nil {
		return 0, nil, fmt.Errorf("read the body: %w", err)
	}
	return status, c.body, nil
}

// length reads the header to its end and returns the length of the body.
func (c *conversation) length() (int, error) {
	name, length := []byte("content-length:"), -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, fmt.Errorf("read the header: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], name) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return 0, errAnswer
			}
		}
	}
	if length < 0 {
		return 0, errAnswer
	}
	return length, nil
}

func (c *conversation) close() { _ = c.net.Close() }

// get writes a GET request, with headers whole.
func get(path string, headers ...string) []byte {
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: bench"}, headers...)
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// executePath is the path of the command endpoint.
const executePath = "/api/v1/execute"

// post writes a call of the command endpoint; without a token it is anonymous.
func post(to []byte, token, body string) []byte {
	if token == "" {
		return send(to, executePath, body)
	}
	return send(to, executePath, body, "Authorization: Bearer ", token)
}

// postProved writes one by a token that is bound to a key, with a proof of it. The
// token may be absent: it is then asked for.
func postProved(to []byte, token, proof, body string) []byte {
	if token == "" {
		return send(to, executePath, body, "DPoP: ", proof)
	}
	return send(to, executePath, body, "Authorization: DPoP ", token, "DPoP: ", proof)
}

// sendForm writes a POST request of a client of OAuth, which authenticates by a header.
func sendForm(to []byte, path, form, basic string) []byte {
	return sendAs(to, path, "application/x-www-form-urlencoded", form, "Authorization: ", basic)
}

// send writes a POST request with JSON. Headers are pairs of what leads a line and the value.
func send(to []byte, path, body string, headers ...string) []byte {
	return sendAs(to, path, "application/json", body, headers...)
}

func sendAs(to []byte, path, kind, body string, headers ...string) []byte {
	to = append(append(append(to, "POST "...), path...), " HTTP/1.1\r\nHost: bench\r\nContent-Type: "...)
	to = append(append(to, kind...), "\r\n"...)
	for k := 0; k < len(headers); k += 2 {
		to = append(append(append(to, headers[k]...), headers[k+1]...), "\r\n"...)
	}
	to = append(to, "Content-Length: "...)
	to = strconv.AppendInt(to, int64(len(body)), 10)
	to = append(to, "\r\n\r\n"...)
	return append(to, body...)
}

// field cuts the text of a member out of a JSON answer that holds no escapes in it.
func field(body []byte, name string) (string, error) {
	_, after, found := bytes.Cut(body, []byte(`"`+name+`":"`))
	value, _, ended := bytes.Cut(after, []byte{'"'})
	if !found || !ended {
		return "", fmt.Errorf("no %s in %.300s", name, body)
	}
	return string(value), nil
}
