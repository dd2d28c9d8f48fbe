package paying_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"testing"

	"gatehouse.internal/test/contract/paying"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) {
	// More histories are tried by hand, with -rapid.checks.
	for name, value := range map[string]string{"rapid.checks": "6", "rapid.shrinktime": "5s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}

// Every processor keeps the contract, on both databases.
func TestProcessors(t *testing.T) {
	t.Parallel()
	for _, c := range append(paying.Remotes(), paying.Case{Name: "sandbox", Start: func(t testing.TB) paying.Upstream { return &sandboxed{t: t} }}) {
		for name, database := range map[string]func(testing.TB) string{"sqlite": harness.SQLite, "postgres": harness.Postgres} {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				paying.Run(t, c, database)
			})
		}
	}
}

// sandboxed is the sandbox of the instance itself.
type sandboxed struct {
	t     testing.TB
	h     *harness.Service
	hooks []paying.Hook
}

func (s *sandboxed) Environment() []string { return nil }

func (s *sandboxed) Bind(h *harness.Service) {
	s.h = h
	h.Sandbox.Transport = s
}

func (s *sandboxed) Act(page, name string) {
	s.t.Helper()
	if err := s.h.Sandbox.Act(s.t.Context(), path.Base(page), name); err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
}

func (s *sandboxed) Hooks() []paying.Hook {
	hooks := s.hooks
	s.hooks = nil
	return hooks
}

// RoundTrip keeps a hook in place of sending it.
func (s *sandboxed) RoundTrip(r *http.Request) (*http.Response, error) {
	body := make([]byte, r.ContentLength)
	if _, err := r.Body.Read(body); err != nil && len(body) == 0 {
		return nil, err
	}
	s.hooks = append(s.hooks, paying.Hook{Header: r.Header, Body: body})
	return httptest.NewRecorder().Result(), nil
}
