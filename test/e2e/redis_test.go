package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// onRedis is two replicas on one PostgreSQL that count in one Redis.
func onRedis(t *testing.T) (*site, *harness.RedisProcess) {
	t.Helper()
	counters := harness.RedisServer(t)
	s := plan(t, harness.Postgres(t), "REDIS_URL="+counters.URL())
	s.secrets.add("the password of Redis", harness.RedisPassword)
	s.start(2)
	return s, counters
}

func TestLimitsCountedInRedisAreExact(t *testing.T) {
	t.Parallel()
	s, _ := onRedis(t)
	admin := s.first().admin()
	for range 3 {
		from := address()
		attempt := login(newcomer())
		attempt.ip = from
		answers := together(40, func(i int) *reply { return s.any(i).do(attempt) })
		if got := codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 30 {
			t.Errorf("40 parallel logins from one address = %v, want 10 to pass", got)
		}
		subject := P{"command": "AUTH.LOGIN", "subject": from}
		if status := s.last().as(admin, "RATE_LIMIT.STATUS_GET", subject); status.number("used") != 10 || status.number("remaining") != 0 {
			t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.body)
		}
		dry := call{command: "RATE_LIMIT.RESET", token: admin.access, params: subject, dryRun: true}
		s.last().do(dry).ok()
		s.first().do(attempt).fails("RATE_LIMITED")
		s.last().as(admin, "RATE_LIMIT.RESET", subject).ok()
		answers = together(20, func(i int) *reply { return s.any(i).do(attempt) })
		if got := codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 10 {
			t.Errorf("20 parallel logins after a reset = %v, want 10 to pass", got)
		}
	}
	// A limit of the token and one of the command, together.
	ada := s.last().signUp()
	s.first().as(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 25, "window_seconds": 60, "key": "token"}).ok()
	answers := together(60, func(i int) *reply { return s.any(i).as(ada, "USER.ME", nil) })
	if got := codes(answers); got["OK"] != 25 || got["RATE_LIMITED"] != 35 {
		t.Errorf("60 calls of 25 allowed = %v", got)
	}
}

func TestRedisGoneAndBack(t *testing.T) {
	t.Parallel()
	s, counters := onRedis(t)
	ada := s.first().signUp()
	for range 2 {
		counters.Stop()
		for i := range 6 {
			began := time.Now()
			s.any(i).as(ada, "USER.ME", nil).fails("INTERNAL_ERROR")
			s.any(i).do(login(ada)).fails("INTERNAL_ERROR")
			if took := time.Since(began); took > answersWithin {
				t.Errorf("two calls failed after %v, want %v at most", took, answersWithin)
			}
		}
		for _, r := range s.replicas {
			if ready, live := r.health("ready"), r.health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("without Redis ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		s.last().get("/.well-known/jwks.json")
		counters.Start()
		for _, r := range s.replicas {
			if !r.becomesReady() {
				t.Fatalf("%s is not ready again", r.url)
			}
			r.as(ada, "USER.ME", nil).ok()
		}
	}
}

// A start without the Redis that is named says what is wrong, and no password.
func TestStartNeedsTheRedisThatIsNamed(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(harness.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	s := plan(t, sqlite().database(t))
	s.secrets.add("a password of Redis", "wrong-password-of-redis")
	for _, wrong := range []string{"redis://:wrong-password-of-redis@" + server.Host, "redis://:wrong-password-of-redis@127.0.0.1:1"} {
		s.set("REDIS_URL=" + wrong)
		r := begin(t, s.secrets, s.directory, s.environment, "serve")
		<-r.exited
		if r.ended == nil {
			t.Errorf("a start with %s ended well", wrong)
		}
		if said := r.log.String() + r.out.String(); !strings.Contains(said, "REDIS_URL names no Redis that can be used: ") {
			t.Errorf("the program says %q", said)
		}
	}
}
