package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/fault"
)

// stalling is a body of some bytes that then blocks until it is released.
type stalling struct {
	left     int
	arrived  *sync.WaitGroup
	released chan struct{}
}

func (s *stalling) Read(into []byte) (int, error) {
	if s.left == 0 {
		s.arrived.Done()
		<-s.released
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(into, bytes.Repeat([]byte{' '}, min(len(into), s.left)))
	s.left -= n
	return n, nil
}

func (*stalling) Close() error { return nil }

// TestBodiesTogether checks that stalled bodies leave no room for large ones but for
// small ones, and that all memory is released.
func TestBodiesTogether(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	large := `{"command":"A.B","params":{"x":"` + strings.Repeat("y", 900<<10) + `"}}`
	var arrived, answered sync.WaitGroup
	released := make(chan struct{})
	for i := range 65 { // 64 MiB in addition to the first 16 KiB of each
		arrived.Add(1)
		r := post("")
		r.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i)
		r.Body, r.ContentLength = &stalling{left: 1<<20 - 8<<10, arrived: &arrived, released: released}, 1<<20
		answered.Go(func() { do(handler, r) })
	}
	arrived.Wait()
	w := do(handler, post(large))
	refusedAs(t, w, http.StatusServiceUnavailable, fault.RateLimited)
	if got := w.Header().Get("Retry-After"); got != "10" {
		t.Errorf("Retry-After = %q, want 10", got)
	}
	asForm := httptest.NewRequest(http.MethodPost, "/api/m2m/token", strings.NewReader(large))
	asForm.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if w := do(handler, asForm); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" ||
		!strings.Contains(w.Body.String(), `"error":"temporarily_unavailable"`) {
		t.Errorf("a form is answered %d %s", w.Code, w.Body)
	}
	if w := do(handler, post(`{"command":"A.B"}`)); w.Code != http.StatusOK {
		t.Errorf("a small body beside them is answered %d %s", w.Code, w.Body)
	}
	close(released)
	answered.Wait()
	if w := do(handler, post(large)); w.Code != http.StatusOK {
		t.Errorf("a large body after them is answered %d %.200s", w.Code, w.Body)
	}
}

// TestBodiesOfOneAddress checks that an address whose bodies stall leaves room for others,
// however many it sends.
func TestBodiesOfOneAddress(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	var arrived, answered sync.WaitGroup
	released := make(chan struct{})
	for i := range 512 { // of 16 KiB, which is the share of an address
		arrived.Add(1)
		r := post("")
		r.RemoteAddr = fmt.Sprintf("[2001:db8::%x]:1", i)
		r.Body, r.ContentLength = &stalling{left: 16 << 10, arrived: &arrived, released: released}, 1<<20
		answered.Go(func() { do(handler, r) })
	}
	arrived.Wait()
	from := func(address string) *httptest.ResponseRecorder {
		r := post(`{"command":"A.B"}`)
		r.RemoteAddr = address
		return do(handler, r)
	}
	w := from("[2001:db8::ffff:1]:1")
	refusedAs(t, w, http.StatusTooManyRequests, fault.RateLimited)
	if w.Header().Get("Retry-After") != "10" {
		t.Errorf("Retry-After = %q, want 10", w.Header().Get("Retry-After"))
	}
	if w := from("[2001:db8:0:1::1]:1"); w.Code != http.StatusOK {
		t.Errorf("another address is answered %d %s", w.Code, w.Body)
	}
	close(released)
	answered.Wait()
	if w := from("[2001:db8::1]:1"); w.Code != http.StatusOK {
		t.Errorf("the address afterwards is answered %d %s", w.Code, w.Body)
	}
}

// piped is an in-memory listener, so that tests control time.
type piped struct {
	conns chan net.Conn
	ended chan struct{}
}

func (p *piped) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *piped) Close() error {
	close(p.ended)
	return nil
}

func (*piped) Addr() net.Addr { return &net.TCPAddr{} }

// TestBodyWithoutProgress checks that a stalled body fails, and one that is too slow in
// total.
func TestBodyWithoutProgress(t *testing.T) {
	t.Parallel()
	const call = `{"command":"A.B"}`
	for name, c := range map[string]struct {
		body   string
		sent   int
		every  time.Duration
		status int
		want   time.Duration
	}{
		"stalls at once":   {call, 0, 0, http.StatusBadRequest, 10 * time.Second},
		"stalls later":     {call, 2, 4 * time.Second, http.StatusBadRequest, 18 * time.Second},
		"trickles":         {call + strings.Repeat(" ", 40), 40, time.Second, http.StatusBadRequest, 30 * time.Second},
		"slow but in time": {call, len(call), time.Second, http.StatusOK, 17 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := &piped{conns: make(chan net.Conn), ended: make(chan struct{})}
				served := httpapi.NewHTTPServer("", start(t, bench(&scripted{})))
				go func() { _ = served.Serve(httpapi.Strict(line)) }()
				defer served.Close()
				client, conn := net.Pipe()
				line.conns <- conn
				began := time.Now()
				var sending sync.WaitGroup
				defer sending.Wait()
				sending.Go(func() {
					const head = "POST /api/v1/execute HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
					_, err := fmt.Fprintf(client, head, len(c.body))
					for i := 0; i < c.sent && err == nil; i++ {
						time.Sleep(c.every)
						_, err = io.WriteString(client, c.body[i:i+1])
					}
				})
				defer client.Close()
				answer, err := http.ReadResponse(bufio.NewReader(client), nil)
				if err != nil {
					t.Fatalf("no answer after %v: %v", time.Since(began), err)
				}
				_ = answer.Body.Close()
				if took := time.Since(began); took != c.want || answer.StatusCode != c.status {
					t.Errorf("answered %d after %v, want %d after %v", answer.StatusCode, took, c.status, c.want)
				}
			})
		})
	}
}
