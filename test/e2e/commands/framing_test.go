package commands_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

// TestAmbiguousRequestsEndTheirConnection sends what a proxy before the service may
// split otherwise: with a second request in it that nobody asked for.
func TestAmbiguousRequestsEndTheirConnection(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		const begin = "POST /api/v1/execute HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: application/json\r\n"
		const hidden = "GET /health HTTP/1.1\r\nHost: gatehouse.test\r\n\r\n"
		for name, sent := range map[string]string{
			"both framings": begin + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			"a folded line": begin + "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}" + hidden,
			"a bare LF":     begin + "X: a\nContent-Length: 2\r\n\r\n{}" + hidden,
		} {
			conn, err := net.Dial("tcp", here.URL[len("http://"):])
			if err != nil {
				t.Fatalf("connect: %v", err)
			}
			_ = conn.SetDeadline(time.Now().Add(instance.StopWithin))
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatalf("%s: send: %v", name, err)
			}
			in := bufio.NewReader(conn)
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s: read the answer: %v", name, err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			if _, err := in.ReadByte(); answer.StatusCode != http.StatusBadRequest || !errors.Is(err, io.EOF) {
				t.Errorf("%s is answered %d, and then %v, want 400 and the end", name, answer.StatusCode, err)
			}
			_ = conn.Close()
		}
	})
}
