package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// Strict returns a listener whose connections refuse requests that another HTTP
// implementation on the way may split otherwise than net/http does: with both
// Content-Length and Transfer-Encoding, or several of either (RFC 9112 section 6.3),
// with header lines that are folded (section 5.2), and with lines that end in a bare
// LF (section 2.2). net/http takes all of these. It answers 400 and the connection
// ends.
//
// # Decision: follow the framing on the connection
//
// Context: a handler sees the parsed header, in which net/http has dropped
// Content-Length, joined folded lines, and left nothing of how lines ended.
//
// Choice: each connection follows the framing of its requests in the bytes that pass,
// which it neither keeps nor changes. It withholds a line that is refused and fails
// the next read, so that net/http, which then has no whole request, answers in turn
// after earlier requests of the connection. Framing that is refused cannot be
// understood in two ways, so that it never loses its place.
//
// What would change our mind: net/http refusing these by itself.
func Strict(listener net.Listener) net.Listener { return strictListener{listener} }

type strictListener struct{ net.Listener }

// Accept waits for the next connection.
func (l strictListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &strictConn{Conn: conn}, nil
}

// strictConn is a connection that refuses ambiguous requests.
type strictConn struct {
	net.Conn

	framing framing
	// refused is set once the client sent what is refused.
	refused bool
}

var errFraming = errors.New("the framing of the request is refused")

// Read reads what the client sent, up to the first line that is refused. It is never
// called by two goroutines at once.
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

// Close ends the connection. A client whose request was refused has still the time to
// read so: what it sent meanwhile would else take the answer back.
func (c *strictConn) Close() error {
	if c.refused && c.CloseWrite() == nil {
		over := time.AfterFunc(lastAnswer, func() { _ = c.Conn.Close() })
		defer over.Stop()
		_, _ = io.CopyN(io.Discard, c.Conn, maxLine)
	}
	return c.Conn.Close()
}

// CloseWrite lets net/http close a connection so that the client still reads the last
// answer.
func (c *strictConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// lastAnswer is how long a client has to read that its request was refused.
const lastAnswer = 500 * time.Millisecond

// phase is the part of a request that comes next on a connection.
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

// maxLine bounds a line. net/http gives up on longer heads by itself; a chunk size
// never needs as much.
const maxLine = 64 << 10

// framing follows requests of HTTP/1.1 through the bytes of a connection.
type framing struct {
	phase phase
	// begun is the part of the next line that has passed.
	begun []byte
	// left is how much of a body or chunk is still to pass.
	left int64
	// length and coded are what the header says so far.
	length string
	coded  bool
	// current reports whether the request is one of HTTP/1.1.
	current bool
}

// follow passes data. It reports whether all of it is fit, else how much: everything
// before the line that is refused, as far as that has not passed before.
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

// skip passes at most n bytes of a body, and returns how many it took.
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

// line passes a line with its end, and reports whether it is fit.
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

// folded reports whether a line continues the one before (RFC 9112 section 5.2).
func folded(line []byte) bool {
	return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
}

// header passes a line of the header.
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

// blankEnd reports whether a blank stands between the name of a field and its colon
// (RFC 9112 section 5.1).
func blankEnd(name []byte) bool {
	return bytes.HasSuffix(name, []byte(" ")) || bytes.HasSuffix(name, []byte("\t"))
}

// body passes the end of the header.
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
		f.skip(0) // there may be none
	default:
		f.phase = requestLine
	}
	return true
}

// chunk passes the line before a chunk: its size and extensions, which mean nothing
// (RFC 9112 section 7.1).
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
