package e2e_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

func TestStoreGoneAndBack(t *testing.T) {
	t.Parallel()
	server := harness.PostgresServer(t)
	s := plan(t, server.DSN())
	s.start(2)
	ada, admin := s.first().signUp(), s.first().admin()
	keys := s.first().get("/.well-known/jwks.json")
	for round := range 2 {
		server.Stop()
		for i, c := range []call{
			{command: "USER.ME", token: ada.access},
			login(ada), signup(newcomer()),
			{command: "AUTH.REFRESH", params: P{"refresh_token": ada.refresh}},
			{command: "SESSION.REVOKE", token: ada.access, params: P{"session_id": ada.session}},
			{command: "AUTH.LOGOUT", token: ada.access},
			{command: "JWT_KEY.ROTATE", token: admin.access},
			{command: "AUTH.CHECK_PASSWORD", params: P{"password": "something"}},
		} {
			began := time.Now()
			answer := s.any(i).do(c).fails("INTERNAL_ERROR")
			if took := time.Since(began); took > answersWithin {
				t.Errorf("round %d: %s failed after %v, want %v at most", round, c.command, took, answersWithin)
			}
			if want := "internal error, request id " + answer.header.Get("X-Request-Id"); answer.envelope.Error.Message != want {
				t.Errorf("the message of an internal error is %q, want %q", answer.envelope.Error.Message, want)
			}
		}
		for _, r := range s.replicas {
			if ready, live := r.health("ready"), r.health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("without a store ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		// What needs no store is answered as ever.
		s.last().get("/api/v1/commands")
		for _, r := range s.replicas {
			if got := r.get("/.well-known/jwks.json"); got != keys {
				t.Errorf("without a store the keys are %s, want %s", got, keys)
			}
		}
		s.last().do(call{command: "NO.SUCH"}).fails("UNKNOWN_COMMAND")
		s.last().present("Bearer nonsense").fails("TOKEN_INVALID")

		server.Start()
		for _, r := range s.replicas {
			if !r.becomesReady() {
				t.Fatalf("%s is not ready again", r.url)
			}
			r.as(ada, "USER.ME", nil).ok()
			r.again(ada)
		}
	}
	s.last().as(ada, "AUTH.LOGOUT", nil).ok()
	s.first().as(ada, "USER.ME", nil).fails("AUTH_ERROR")
}

// A primary that became a standby lets itself be read; so does a full disk.
func TestStoreThatTakesNothingIsNotReady(t *testing.T) {
	t.Parallel()
	s := plan(t, harness.Postgres(t))
	s.start(2)
	ada := s.first().signUp()
	for range 2 {
		s.readOnly("on")
		for _, r := range s.replicas {
			if !r.await(func() bool { return r.as(ada, "USER.ME", nil).code() == "INTERNAL_ERROR" }) {
				t.Fatal("calls succeed on a store that takes nothing")
			}
			if ready, live := r.health("ready"), r.health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("on a store that takes nothing ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		s.readOnly("off")
		for _, r := range s.replicas {
			if !r.becomesReady() {
				t.Fatalf("%s is not ready again", r.url)
			}
			r.as(ada, "USER.ME", nil).ok()
		}
	}
}

// readOnly switches what the database lets connections do, and ends those there are.
func (s *site) readOnly(state string) {
	s.t.Helper()
	db, err := sql.Open("postgres", s.environment["DATABASE_URL"]+"&default_transaction_read_only=off")
	if err != nil {
		s.t.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	for _, statement := range []string{
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + state + `', current_database()); END $$`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
	} {
		if _, err := db.ExecContext(s.t.Context(), statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestSixReplicasStartTogetherOnNothing(t *testing.T) {
	t.Parallel()
	s := plan(t, harness.EmptyPostgres(t), "DATABASE_MAX_CONNECTIONS=4")
	s.start(6)
	keys := s.first().get("/.well-known/jwks.json")
	if got := len(keySet(t, keys)); got != 2 {
		t.Errorf("%d keys are published, want the active and the next one", got)
	}
	admin := s.first().admin()
	for _, r := range s.replicas {
		if got := r.get("/.well-known/jwks.json"); got != keys {
			t.Errorf("the keys of two replicas differ:\n%s\n%s", got, keys)
		}
		r.as(admin, "JWT_KEY.LIST", nil).ok()
		ada := r.signUp()
		for _, other := range s.replicas {
			other.as(ada, "USER.ME", nil).ok()
		}
	}
	if got := len(s.last().as(admin, "USER.LIST", P{"query": adminEmail}).items()); got != 1 {
		t.Errorf("%d superadmins made, want 1", got)
	}
	s.expectWhole()
}

// Requests under way when SIGTERM comes are answered, also after the door has closed;
// before it closes the load balancer is told.
func TestTerminationFinishesWhatIsUnderWay(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		for try := 1; ; try++ {
			told := s.first().finishesUnderWay(t)
			if on.replicas > 1 {
				s.last().get("/health?check=ready")
			}
			if told {
				return
			}
			if try == series {
				t.Fatalf("in none of %d tries was a replica that stops seen as live and not ready", series)
			}
			s.start(on.replicas)
		}
	})
}

// Who begins a request and never ends it holds a stop up for a while, and spoils none.
func TestTerminationLeavesTheStuckBehind(t *testing.T) {
	onEach(t, []store{sqlite()}, func(t *testing.T, on store) {
		r := open(t, on).first()
		dribble(t, r, `{"command":"AUTH.CHECK_PASSWORD","params":{"password":"`)
		r.health("live") // answered after the server took that in
		r.Terminate()
		r.Ends()
	})
}

// A collector of traces that does not answer holds a stop up for a while, and spoils none.
func TestTerminationWithoutACollector(t *testing.T) {
	onEach(t, []store{sqlite()}, func(t *testing.T, on store) {
		var asked atomic.Bool
		collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			asked.Store(true)
			<-r.Context().Done()
		}))
		t.Cleanup(collector.Close)
		s := plan(t, on.database(t), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
		s.start(1)
		s.first().get("/api/v1/commands")
		s.first().Terminate()
		s.first().Ends()
		if !asked.Load() {
			t.Error("the collector was not asked")
		}
	})
}

// finishesUnderWay stops a replica that has been sent beginnings of requests, which
// must be answered all the same. It reports whether the replica was seen as not ready
// and live, in the half second that it leaves for that: a busy machine may miss it.
func (r *replica) finishesUnderWay(t *testing.T) (told bool) {
	t.Helper()
	halves := []dribbled{dribble(t, r, `{"command":"AUTH.CHECK_PASSWORD","params":{"password":"a phrase that`)}
	for range 3 {
		halves = append(halves, dribble(t, r, fmt.Sprintf(
			`{"command":"AUTH.SIGNUP","params":{"email":%q,"display_name":"Somebody","password":"a phrase that`, newcomer().email,
		)))
	}
	r.health("live") // answered after the server took those in
	r.Terminate()
	r.await(func() bool {
		told = told || r.health("ready") == http.StatusServiceUnavailable && r.health("live") == http.StatusOK
		return r.closed()
	})
	if !r.closed() || r.gone() {
		t.Fatalf("the door is closed: %v, the process has ended: %v, with requests under way", r.closed(), r.gone())
	}
	for _, half := range halves {
		if status := half.finish(` nobody guesses"}}`); status != http.StatusOK {
			t.Errorf("a request that was half sent is answered with %d, want 200", status)
		}
	}
	r.Ends()
	return told
}

// closed reports whether nobody listens any more.
func (r *replica) closed() bool {
	conn, err := net.Dial("tcp", r.url[len("http://"):])
	if err != nil {
		return true
	}
	_ = conn.Close()
	return false
}

// dribbled is a request whose body is not whole yet.
type dribbled struct {
	t    *testing.T
	conn net.Conn
}

const dribbledRest = 18

func dribble(t *testing.T, r *replica, beginning string) dribbled {
	t.Helper()
	conn, err := net.Dial("tcp", r.url[len("http://"):])
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/v1/execute HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(beginning)+dribbledRest, beginning)
	if err != nil {
		t.Fatalf("send half a request: %v", err)
	}
	return dribbled{t, conn}
}

// finish sends the rest and returns the status of the answer.
func (d dribbled) finish(rest string) int {
	d.t.Helper()
	if len(rest) != dribbledRest {
		d.t.Fatalf("the rest is of %d bytes, %d were announced", len(rest), dribbledRest)
	}
	if _, err := d.conn.Write([]byte(rest)); err != nil {
		d.t.Errorf("send the rest: %v", err)
		return 0
	}
	_ = d.conn.SetReadDeadline(time.Now().Add(stopWithin))
	response, err := http.ReadResponse(bufio.NewReader(d.conn), nil)
	if err != nil {
		d.t.Errorf("read the answer: %v", err)
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
