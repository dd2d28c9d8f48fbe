package httpapi_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/httpapi"
)

// listening starts a server with a strict listener, and returns its address.
func listening(t *testing.T, server *httpapi.Server) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := httpapi.NewHTTPServer(listener.Addr().String(), start(t, server))
	done := make(chan error, 1)
	go func() { done <- served.Serve(httpapi.Strict(listener)) }()
	t.Cleanup(func() {
		_ = served.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve() = %v", err)
		}
	})
	return listener.Addr().String()
}

// dial opens a connection with a deadline.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// statuses sends text in parts of a size, and returns the status codes of all responses
// until the server closes the connection.
func statuses(t *testing.T, address, text string, size int) []int {
	t.Helper()
	conn := dial(t, address)
	go func() {
		for ; len(text) > 0; text = text[min(size, len(text)):] {
			if _, err := io.WriteString(conn, text[:min(size, len(text))]); err != nil {
				return
			}
		}
	}()
	var got []int
	for in := bufio.NewReader(conn); ; {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return got
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		got = append(got, answer.StatusCode)
	}
}

// TestFraming checks that an ambiguous request closes the connection before any part of
// it is executed.
func TestFraming(t *testing.T) {
	t.Parallel()
	const (
		line   = "POST /api/v1/execute HTTP/1.1\r\n"
		host   = "Host: x\r\n"
		typed  = "Content-Type: application/json\r\n"
		body   = `{"command":"A.B"}`
		length = "Content-Length: 17\r\n"
		coded  = "Transfer-Encoding: chunked\r\n"
		chunks = "11\r\n" + body + "\r\n0\r\n\r\n"
		last   = "Connection: close\r\n\r\n"
		whole  = line + host + typed + length + "\r\n" + body
	)
	for name, c := range map[string]struct {
		text string
		want []int
	}{
		"a length":                   {line + host + typed + length + last + body, []int{200}},
		"chunks":                     {line + host + typed + coded + last + chunks, []int{200}},
		"chunks with a trailer":      {line + host + typed + coded + last + "11;x=y\r\n" + body + "\r\n0\r\nT: z\r\n\r\n", []int{200}},
		"pipelined":                  {whole + line + host + typed + coded + last + chunks, []int{200, 200}},
		"length and coding":          {line + host + typed + length + coded + "\r\n" + chunks, []int{400}},
		"coding and length":          {line + host + typed + coded + length + "\r\n" + chunks, []int{400}},
		"both behind another":        {whole + line + host + typed + "transfer-encoding:chunked\r\ncontent-length:17\r\n\r\n" + chunks, []int{200, 400}},
		"two equal lengths":          {line + host + typed + length + length + "\r\n" + body, []int{400}},
		"a list of lengths":          {line + host + typed + "Content-Length: 17, 17\r\n\r\n" + body, []int{400}},
		"a signed length":            {line + host + typed + "Content-Length: +17\r\n\r\n" + body, []int{400}},
		"an empty length":            {line + host + typed + "Content-Length:\r\n\r\n" + body, []int{400}},
		"two codings":                {line + host + typed + coded + coded + "\r\n" + chunks, []int{400}},
		"another coding":             {line + host + typed + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks, []int{400}},
		"a coding of HTTP/1.0":       {"POST /api/v1/execute HTTP/1.0\r\n" + host + typed + coded + "\r\n" + chunks, []int{400}},
		"a folded line":              {line + host + "Content-Type:\r\n application/json\r\n" + length + "\r\n" + body, []int{400}},
		"a folded line with a tab":   {line + host + typed + "X: a\r\n\tb\r\n" + length + "\r\n" + body, []int{400}},
		"folded at once":             {line + " X: a\r\n" + host + typed + length + "\r\n" + body, []int{400}},
		"a bare LF":                  {line + host + "Content-Type: application/json\n" + length + "\r\n" + body, []int{400}},
		"a bare LF in the first":     {"POST /api/v1/execute HTTP/1.1\n" + host + typed + length + "\r\n" + body, []int{400}},
		"a bare LF at the end":       {line + host + typed + length + "\n" + body, []int{400}},
		"bare LFs alone":             {strings.ReplaceAll(whole, "\r\n", "\n"), []int{400}},
		"a bare CR":                  {line + host + typed + "X: a\rb\r\n" + length + "\r\n" + body, []int{400}},
		"a bare LF in a later one":   {whole + line + host + typed + length + "\n" + body, []int{200, 400}},
		"a bare LF behind a size":    {line + host + typed + coded + "\r\n" + "11\n" + body + "\r\n0\r\n\r\n", []int{400}},
		"a bare LF behind a chunk":   {line + host + typed + coded + "\r\n" + "11\r\n" + body + "\n0\r\n\r\n", []int{400}},
		"a bare LF in the trailer":   {line + host + typed + coded + "\r\n" + "11\r\n" + body + "\r\n0\r\nT: z\n\r\n", []int{400}},
		"a folded trailer":           {line + host + typed + coded + "\r\n" + "11\r\n" + body + "\r\n0\r\nT: z\r\n y\r\n\r\n", []int{400}},
		"a chunk that is too long":   {line + host + typed + coded + "\r\n" + "10\r\n" + body + "\r\n0\r\n\r\n", []int{400}},
		"a size that is no number":   {line + host + typed + coded + "\r\n" + "0x11\r\n" + body + "\r\n0\r\n\r\n", []int{400}},
		"an empty line before it":    {"\r\n" + whole, []int{400}},
		"a blank before the colon":   {line + host + typed + "Content-Length : 17\r\n" + coded + "\r\n" + chunks, []int{400}},
		"a length hidden by a blank": {line + host + typed + coded + "Content-Length : 17\r\n\r\n" + chunks, []int{400}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &scripted{}
			address := listening(t, bench(app))
			for _, size := range []int{1, 7, len(c.text)} {
				before, taken := app.calls(), 0
				got := statuses(t, address, c.text, size)
				if len(got) != len(c.want) {
					t.Fatalf("in parts of %d: the answers are %v, want %v", size, got, c.want)
				}
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("in parts of %d: the answers are %v, want %v", size, got, c.want)
					}
					if c.want[i] == http.StatusOK {
						taken++
					}
				}
				if calls := app.calls() - before; calls != taken {
					t.Errorf("in parts of %d: %d calls were executed, want %d", size, calls, taken)
				}
			}
		})
	}
}
