package replicas_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness"
)

// onRedis is two replicas on one PostgreSQL that count in one Redis.
func onRedis(t *testing.T) (*instance.Site, *harness.RedisProcess) {
	t.Helper()
	counters := harness.RedisServer(t)
	s := instance.Plan(t, harness.Postgres(t), "REDIS_URL="+counters.URL())
	s.Secrets.Add("the password of Redis", harness.RedisPassword)
	s.Start(2)
	return s, counters
}

func TestLimitsCountedInRedisAreExact(t *testing.T) {
	t.Parallel()
	s, _ := onRedis(t)
	admin := s.First().Admin()
	for range 3 {
		from := instance.Address()
		attempt := instance.Login(instance.Newcomer())
		attempt.IP = from
		answers := instance.Together(40, func(i int) *instance.Reply { return s.Any(i).Do(attempt) })
		if got := instance.Codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 30 {
			t.Errorf("40 parallel logins from one address = %v, want 10 to pass", got)
		}
		subject := P{"command": "AUTH.LOGIN", "subject": from}
		if status := s.Last().As(admin, "RATE_LIMIT.STATUS_GET", subject); status.Number("used") != 10 || status.Number("remaining") != 0 {
			t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.Body)
		}
		dry := instance.Call{Command: "RATE_LIMIT.RESET", Token: admin.Access, Params: subject, DryRun: true}
		s.Last().Do(dry).OK()
		s.First().Do(attempt).Fails("RATE_LIMITED")
		s.Last().As(admin, "RATE_LIMIT.RESET", subject).OK()
		answers = instance.Together(20, func(i int) *instance.Reply { return s.Any(i).Do(attempt) })
		if got := instance.Codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 10 {
			t.Errorf("20 parallel logins after a reset = %v, want 10 to pass", got)
		}
	}
	// A limit of the token and one of the command, together.
	ada := s.Last().SignUp()
	s.First().As(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 25, "window_seconds": 60, "key": "token"}).OK()
	answers := instance.Together(60, func(i int) *instance.Reply { return s.Any(i).As(ada, "USER.ME", nil) })
	if got := instance.Codes(answers); got["OK"] != 25 || got["RATE_LIMITED"] != 35 {
		t.Errorf("60 calls of 25 allowed = %v", got)
	}
}

func TestRedisGoneAndBack(t *testing.T) {
	t.Parallel()
	s, counters := onRedis(t)
	ada := s.First().SignUp()
	for range 2 {
		counters.Stop()
		for i := range 6 {
			began := time.Now()
			s.Any(i).As(ada, "USER.ME", nil).Fails("INTERNAL_ERROR")
			s.Any(i).Do(instance.Login(ada)).Fails("INTERNAL_ERROR")
			if took := time.Since(began); took > instance.AnswersWithin {
				t.Errorf("two calls failed after %v, want %v at most", took, instance.AnswersWithin)
			}
		}
		for _, r := range s.Replicas {
			if ready, live := r.Health("ready"), r.Health("live"); ready != http.StatusServiceUnavailable || live != http.StatusOK {
				t.Errorf("without Redis ready answers %d and live %d, want 503 and 200", ready, live)
			}
		}
		s.Last().Get("/.well-known/jwks.json")
		counters.Start()
		for _, r := range s.Replicas {
			if !r.BecomesReady() {
				t.Fatalf("%s is not ready again", r.URL)
			}
			r.As(ada, "USER.ME", nil).OK()
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
	s := instance.Plan(t, instance.SQLite().Database(t))
	s.Secrets.Add("a password of Redis", "wrong-password-of-redis")
	for _, wrong := range []string{"redis://:wrong-password-of-redis@" + server.Host, "redis://:wrong-password-of-redis@127.0.0.1:1"} {
		s.Set("REDIS_URL=" + wrong)
		r := instance.Begin(t, s.Secrets, s.Directory, s.Environment, "serve")
		<-r.Exited
		if r.Ended == nil {
			t.Errorf("a start with %s ended well", wrong)
		}
		if said := r.Log.String() + r.Out.String(); !strings.Contains(said, "failed to connect to Redis at REDIS_URL: ") {
			t.Errorf("the program says %q", said)
		}
	}
}
