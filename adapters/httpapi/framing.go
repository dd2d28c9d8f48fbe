package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// Strict returns a listener whose connections reject requests that intermediaries may
// split differently than net/http (request smuggling): with both Content-Length and
// Transfer-Encoding, or several of either (RFC 9112 section 6.3), with folded header
// lines (section 5.2), and with lines that end in a bare LF (section 2.2). net/http
// accepts all of these. The response is 400, and the connection is closed.
//
// # Decision: parse the framing on the connection
//
// Context: a handler sees the parsed header, from which net/http has removed
// Content-Length, folded lines and line endings.
//
// Choice: each connection parses the framing of its requests as the bytes pass, without
// storing or changing them. It withholds a rejected line and fails the next read, so
// that net/http, which then has an incomplete request, responds after the responses to
// earlier requests of the connection. Ambiguous framing is rejected, so the parser
// never loses synchronization.
//
// What would change our mind: net/http refusing these by itself.
func Strict(listener net.Listener) net.Listener { return strictListener{listener} }

type strictListener struct{ net.Listener }

func (l strictListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &strictConn{Conn: conn}, nil
}

// strictConn is a connection that rejects ambiguous requests.
type strictConn struct {
	net.Conn

	framing framing
	// refused reports whether a request was rejected.
	refused bool
}

var errFraming = errors.New("rejecting a request with invalid framing")

// Read reads up to the first rejected line. It must not be called concurrently.
func (c *strictConn) Read(into []byte) (int, error) {
	if c.refused {
		return 0, errFraming
	}
	n, err := c.Conn.Read(into)
	fit, ok := c.framing.follow(into[:n])
	if ok {
		return n, err
	}
	c.refused = true
	if fit == 0 {
		return 0, errFraming
	}
	return fit, nil
}

// Close closes the connection. After a rejected request it first gives the client time
// to read the response, because unread input would reset the connection.
func (c *strictConn) Close() error {
	if c.refused && c.CloseWrite() == nil {
		over := time.AfterFunc(lastAnswer, func() { _ = c.Conn.Close() })
		defer over.Stop()
		_, _ = io.CopyN(io.Discard, c.Conn, maxLine)
	}
	return c.Conn.Close()
}

// CloseWrite lets net/http close a connection without losing the last response.
func (c *strictConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// lastAnswer is the time for a client to read the response to a rejected request.
const lastAnswer = 500 * time.Millisecond

// phase is the next part of a request.
type phase int

const (
	requestLine phase = iota
	headerLine
	fixedBody
	chunkSize
	chunkData
	chunkEnd
	trailerLine
)

// maxLine is the maximum length of a line, in bytes. net/http itself rejects longer
// headers, and chunk sizes are shorter.
const maxLine = 64 << 10

// framing parses the framing of HTTP/1.1 requests.
type framing struct {
	phase phase
	// begun is the incomplete line so far.
	begun []byte
	// left is the number of bytes left in a body or chunk.
	left int64
	// length and coded are the Content-Length and whether there is a Transfer-Encoding.
	length string
	coded  bool
	// current reports whether the request is HTTP/1.1.
	current bool
}

// follow parses data. It returns how many bytes to pass on, and false if the line after
// them is rejected.
func (f *framing) follow(data []byte) (fit int, ok bool) {
	for at := 0; at < len(data); {
		if f.phase == fixedBody || f.phase == chunkData {
			at += f.skip(len(data) - at)
			continue
		}
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			f.begun = append(f.begun, data[at:]...)
			if len(f.begun) > maxLine {
				return at, false
			}
			break
		}
		line := data[at : at+end+1]
		if len(f.begun) > 0 {
			line = append(f.begun, line...)
			f.begun = nil
		}
		if !f.line(line) {
			return at, false
		}
		at += end + 1
	}
	return len(data), true
}

// skip consumes at most n bytes of a body, and returns how many it consumed.
func (f *framing) skip(n int) int {
	n = int(min(int64(n), f.left))
	f.left -= int64(n)
	switch {
	case f.left > 0:
	case f.phase == chunkData:
		f.phase = chunkEnd
	default:
		f.phase = requestLine
	}
	return n
}

// line parses a line with its end, and reports whether it is accepted.
func (f *framing) line(line []byte) bool {
	line, ended := bytes.CutSuffix(line, []byte("\r\n"))
	if !ended || bytes.IndexByte(line, '\r') >= 0 {
		return false
	}
	switch f.phase {
	case requestLine:
		*f = framing{phase: headerLine, current: bytes.HasSuffix(line, []byte(" HTTP/1.1"))}
		return len(line) > 0
	case headerLine:
		return f.header(line)
	case chunkSize:
		return f.chunk(line)
	case chunkEnd:
		f.phase = chunkSize
		return len(line) == 0
	case trailerLine:
		if len(line) == 0 {
			f.phase = requestLine
		}
		return !folded(line)
	case fixedBody, chunkData:
	}
	return false
}

// folded reports whether a line continues the previous one (RFC 9112 section 5.2).
func folded(line []byte) bool {
	return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
}

// header parses a line of the header.
func (f *framing) header(line []byte) bool {
	if len(line) == 0 {
		return f.body()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		if f.length != "" || f.coded {
			return false
		}
		f.length = string(bytes.Trim(value, " \t"))
		return f.length != ""
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if f.length != "" || f.coded || !f.current || !bytes.EqualFold(bytes.Trim(value, " \t"), []byte("chunked")) {
			return false
		}
		f.coded = true
	}
	return !folded(line) && !blankEnd(name)
}

// blankEnd reports whether there is white space between the name of a field and its
// colon (RFC 9112 section 5.1).
func blankEnd(name []byte) bool {
	return bytes.HasSuffix(name, []byte(" ")) || bytes.HasSuffix(name, []byte("\t"))
}

// body parses the end of the header.
func (f *framing) body() bool {
	switch {
	case f.coded:
		f.phase = chunkSize
	case f.length != "":
		length, err := strconv.ParseUint(f.length, 10, 63)
		if err != nil {
			return false
		}
		f.left, f.phase = int64(length), fixedBody
		f.skip(0) // the body may be empty
	default:
		f.phase = requestLine
	}
	return true
}

// chunk parses a chunk size; extensions are ignored (RFC 9112 section 7.1).
func (f *framing) chunk(line []byte) bool {
	digits := line
	if end := bytes.IndexAny(line, "; \t"); end >= 0 {
		digits = line[:end]
	}
	size, err := strconv.ParseUint(string(digits), 16, 63)
	if err != nil {
		return false
	}
	f.left, f.phase = int64(size), chunkData
	if size == 0 {
		f.phase = trailerLine
	}
	return true
}
