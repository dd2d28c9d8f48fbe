package processes_test

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

	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness"
)

func TestStoreGoneAndBack(t *testing.T) {
	t.Parallel()
	server := harness.PostgresServer(t)
	s := instance.Plan(t, server.DSN())
	s.Start(2)
	ada, admin := s.First().SignUp(), s.First().Admin()
	keys := s.First().Get("/.well-known/jwks.json")
	for round := range 2 {
		server.Stop()
		for i, c := range []instance.Call{
			{Command: "USER.ME", Token: ada.Access},
			instance.Login(ada), instance.Signup(instance.Newcomer()),
			{Command: "AUTH.REFRESH", Params: P{"refresh_token": ada.Refresh}},
			{Command: "SESSION.REVOKE", Token: ada.Access, Params: P{"session_id": ada.Session}},
			{Command: "AUTH.LOGOUT", Token: ada.Access},
			{Command: "JWT_KEY.ROTATE", Token: admin.Access},
			{Command: "AUTH.CHECK_PASSWORD", Params: P{"password": "something"}},
		} {
			began := time.Now()
			answer := s.Any(i).Do(c).Fails("INTERNAL_ERROR")
			if took := time.Since(began); took > instance.AnswersWithin {
				t.Errorf("round %d: %s failed after %v, want %v at most", round, c.Command, took, instance.AnswersWithin)
			}
			if want := "internal error, request id " + answer.Header.Get("X-Request-Id"); answer.Envelope.Error.Message != want {
				t.Errorf("the message of an internal error is %q, want %q", answer.Envelope.Error.Message, want)
			}
		}
		for _, r := range s.Replicas {
			if ready, live := r.Health("ready"), r.Health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("without a store ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		// What needs no store is answered as ever.
		s.Last().Get("/api/v1/commands")
		for _, r := range s.Replicas {
			if got := r.Get("/.well-known/jwks.json"); got != keys {
				t.Errorf("without a store the keys are %s, want %s", got, keys)
			}
		}
		s.Last().Do(instance.Call{Command: "NO.SUCH"}).Fails("UNKNOWN_COMMAND")
		s.Last().Present("Bearer nonsense").Fails("TOKEN_INVALID")

		server.Start()
		for _, r := range s.Replicas {
			if !r.BecomesReady() {
				t.Fatalf("%s is not ready again", r.URL)
			}
			r.As(ada, "USER.ME", nil).OK()
			r.Again(ada)
		}
	}
	s.Last().As(ada, "AUTH.LOGOUT", nil).OK()
	s.First().As(ada, "USER.ME", nil).Fails("AUTH_ERROR")
}

// A primary that became a standby lets itself be read; so does a full disk.
func TestStoreThatTakesNothingIsNotReady(t *testing.T) {
	t.Parallel()
	s := instance.Plan(t, harness.Postgres(t))
	s.Start(2)
	ada := s.First().SignUp()
	for range 2 {
		readOnly(s, "on")
		for _, r := range s.Replicas {
			if !r.Await(func() bool { return r.As(ada, "USER.ME", nil).Code() == "INTERNAL_ERROR" }) {
				t.Fatal("calls succeed on a store that takes nothing")
			}
			if ready, live := r.Health("ready"), r.Health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("on a store that takes nothing ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		readOnly(s, "off")
		for _, r := range s.Replicas {
			if !r.BecomesReady() {
				t.Fatalf("%s is not ready again", r.URL)
			}
			r.As(ada, "USER.ME", nil).OK()
		}
	}
}

// readOnly switches what the database lets connections do, and ends those there are.
func readOnly(s *instance.Site, state string) {
	s.T.Helper()
	db, err := sql.Open("postgres", s.Environment["DATABASE_URL"]+"&default_transaction_read_only=off")
	if err != nil {
		s.T.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	for _, statement := range []string{
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + state + `', current_database()); END $$`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
	} {
		if _, err := db.ExecContext(s.T.Context(), statement); err != nil {
			s.T.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestSixReplicasStartTogetherOnNothing(t *testing.T) {
	t.Parallel()
	s := instance.Plan(t, harness.EmptyPostgres(t), "DATABASE_MAX_CONNECTIONS=4")
	s.Start(6)
	keys := s.First().Get("/.well-known/jwks.json")
	if got := len(instance.KeySet(t, keys)); got != 2 {
		t.Errorf("%d keys are published, want the active and the next one", got)
	}
	admin := s.First().Admin()
	for _, r := range s.Replicas {
		if got := r.Get("/.well-known/jwks.json"); got != keys {
			t.Errorf("the keys of two replicas differ:\n%s\n%s", got, keys)
		}
		r.As(admin, "JWT_KEY.LIST", nil).OK()
		ada := r.SignUp()
		for _, other := range s.Replicas {
			other.As(ada, "USER.ME", nil).OK()
		}
	}
	if got := len(s.Last().As(admin, "USER.LIST", P{"query": instance.AdminEmail}).Items()); got != 1 {
		t.Errorf("%d superadmins made, want 1", got)
	}
	s.ExpectWhole()
}

// Requests under way when SIGTERM comes are answered, also after the door has closed;
// before it closes the load balancer is told.
func TestTerminationFinishesWhatIsUnderWay(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		for try := 1; ; try++ {
			finished := finishesUnderWay(s.First(), t)
			if on.Replicas > 1 {
				s.Last().Get("/health?check=ready")
			}
			if finished {
				return
			}
			if try == instance.Series {
				t.Fatalf("in none of %d tries was a replica that stops seen as live and not ready", instance.Series)
			}
			s.Start(on.Replicas)
		}
	})
}

// Who begins a request and never ends it holds a stop up for a while, and spoils none.
func TestTerminationLeavesTheStuckBehind(t *testing.T) {
	instance.OnEach(t, []instance.Store{instance.SQLite()}, func(t *testing.T, on instance.Store) {
		r := instance.Open(t, on).First()
		dribble(t, r, `{"command":"AUTH.CHECK_PASSWORD","params":{"password":"`)
		r.Health("live") // answered after the server took that in
		r.Terminate()
		r.Ends()
	})
}

// A collector of traces that does not answer holds a stop up for a while, and spoils none.
func TestTerminationWithoutACollector(t *testing.T) {
	instance.OnEach(t, []instance.Store{instance.SQLite()}, func(t *testing.T, on instance.Store) {
		var asked atomic.Bool
		collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			asked.Store(true)
			<-r.Context().Done()
		}))
		t.Cleanup(collector.Close)
		s := instance.Plan(t, on.Database(t), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
		s.Start(1)
		s.First().Get("/api/v1/commands")
		s.First().Terminate()
		s.First().Ends()
		if !asked.Load() {
			t.Error("the collector was not asked")
		}
	})
}

// finishesUnderWay stops a replica that has been sent beginnings of requests, which
// must be answered all the same. It reports whether the replica was seen as not ready
// and live, in the half second that it leaves for that: a busy machine may miss it.
func finishesUnderWay(r *instance.Replica, t *testing.T) (finished bool) {
	t.Helper()
	halves := []dribbled{dribble(t, r, `{"command":"AUTH.CHECK_PASSWORD","params":{"password":"a phrase that`)}
	for range 3 {
		halves = append(halves, dribble(t, r, fmt.Sprintf(
			`{"command":"AUTH.SIGNUP","params":{"email":%q,"display_name":"Somebody","password":"a phrase that`, instance.Newcomer().Email,
		)))
	}
	r.Health("live") // answered after the server took those in
	r.Terminate()
	r.Await(func() bool {
		finished = finished || r.Health("ready") == http.StatusServiceUnavailable && r.Health("live") == http.StatusOK
		return closed(r)
	})
	if !closed(r) || r.Gone() {
		t.Fatalf("the door is closed: %v, the process has ended: %v, with requests under way", closed(r), r.Gone())
	}
	for _, half := range halves {
		if status := half.finish(` nobody guesses"}}`); status != http.StatusOK {
			t.Errorf("a request that was half sent is answered with %d, want 200", status)
		}
	}
	r.Ends()
	return finished
}

// closed reports whether nobody listens any more.
func closed(r *instance.Replica) bool {
	conn, err := net.Dial("tcp", r.URL[len("http://"):])
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

func dribble(t *testing.T, r *instance.Replica, beginning string) dribbled {
	t.Helper()
	conn, err := net.Dial("tcp", r.URL[len("http://"):])
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
	_ = d.conn.SetReadDeadline(time.Now().Add(instance.StopWithin))
	response, err := http.ReadResponse(bufio.NewReader(d.conn), nil)
	if err != nil {
		d.t.Errorf("read the answer: %v", err)
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
