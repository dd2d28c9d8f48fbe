package paying_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"testing"

	"gatehouse.internal/test/contract/paying"
	"gatehouse.internal/test/fake/upstream/mollie"
	"gatehouse.internal/test/fake/upstream/paddle"
	"gatehouse.internal/test/fake/upstream/paypal"
	"gatehouse.internal/test/fake/upstream/polar"
	"gatehouse.internal/test/fake/upstream/stripe"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) {
	// Most of the time is spent in waiting for processors that do not answer, so more tests go
	// together than there are cores. More histories are tried by hand, with -rapid.checks.
	for name, value := range map[string]string{"test.parallel": "8", "rapid.checks": "6", "rapid.shrinktime": "5s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}

func cases() []paying.Case {
	return []paying.Case{
		{Name: "sandbox", Start: func(t testing.TB) paying.Upstream { return &sandboxed{t: t} }},
		{Name: "stripe", Start: func(t testing.TB) paying.Upstream { return &striped{Server: stripe.Start(t)} }},
		{Name: "paddle", Start: func(t testing.TB) paying.Upstream { return &paddled{Server: paddle.Start(t)} }},
		{Name: "polar", Start: func(t testing.TB) paying.Upstream { return &polared{Server: polar.Start(t)} }},
		{Name: "mollie", Start: func(t testing.TB) paying.Upstream { return &mollied{Server: mollie.Start(t)} }},
		{Name: "paypal", Start: func(t testing.TB) paying.Upstream { return &paypaled{Server: paypal.Start(t)} }},
	}
}

// Every processor keeps the contract, on both databases.
func TestProcessors(t *testing.T) {
	t.Parallel()
	for _, c := range cases() {
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
	t    testing.TB
	h    *harness.Service
	told []paying.Hook
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

func (s *sandboxed) Told() []paying.Hook {
	told := s.told
	s.told = nil
	return told
}

// RoundTrip keeps a hook in place of sending it.
func (s *sandboxed) RoundTrip(r *http.Request) (*http.Response, error) {
	body := make([]byte, r.ContentLength)
	if _, err := r.Body.Read(body); err != nil && len(body) == 0 {
		return nil, err
	}
	s.told = append(s.told, paying.Hook{Header: r.Header, Body: body})
	return httptest.NewRecorder().Result(), nil
}

// striped is Stripe.
type striped struct {
	*stripe.Server

	h *harness.Service
}

func (s *striped) Bind(h *harness.Service) {
	s.h = h
	s.Now = h.Clock.Now
}

func (s *striped) Told() (told []paying.Hook) {
	for _, body := range s.Server.Told() {
		told = append(told, s.sign(body))
	}
	return told
}

func (s *striped) sign(body []byte) paying.Hook {
	return paying.Hook{Header: s.Sign(body, s.h.Clock.Now()), Body: body}
}

func (s *striped) OtherMode(h paying.Hook) paying.Hook { return s.sign(s.Server.OtherMode(h.Body)) }

// polared is Polar.
type polared struct {
	*polar.Server

	h *harness.Service
}

func (s *polared) Bind(h *harness.Service) {
	s.h = h
	s.Now = h.Clock.Now
}

func (s *polared) Told() (told []paying.Hook) {
	for _, one := range s.Server.Told() {
		told = append(told, paying.Hook{Header: s.Sign(one, s.h.Clock.Now()), Body: one.Body})
	}
	return told
}

func (s *polared) OtherMode(h paying.Hook) paying.Hook {
	one := polar.Hook{ID: h.Header.Get("Webhook-Id"), Body: h.Body}
	return paying.Hook{Header: s.SignElsewhere(one, s.h.Clock.Now()), Body: h.Body}
}

// paddled is Paddle.
type paddled struct {
	*paddle.Server

	h *harness.Service
}

func (p *paddled) Bind(h *harness.Service) {
	p.h = h
	p.Now = h.Clock.Now
}

func (p *paddled) Told() (told []paying.Hook) {
	for _, body := range p.Server.Told() {
		told = append(told, paying.Hook{Header: p.Sign(body, p.h.Clock.Now()), Body: body})
	}
	return told
}

func (p *paddled) OtherMode(h paying.Hook) paying.Hook {
	return paying.Hook{Header: p.SignElsewhere(h.Body, p.h.Clock.Now()), Body: h.Body}
}

// mollied is Mollie.
type mollied struct{ *mollie.Server }

func (m *mollied) Bind(h *harness.Service) { m.Now = h.Clock.Now }

func (m *mollied) Told() (told []paying.Hook) {
	for _, body := range m.Server.Told() {
		told = append(told, hooked(body))
	}
	return told
}

func hooked(body []byte) paying.Hook {
	return paying.Hook{Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, Body: body}
}

func (*mollied) OtherMode(paying.Hook) paying.Hook { return hooked(mollie.Hook(mollie.Elsewhere)) }

func (m *mollied) Foreign() paying.Hook { return hooked(mollie.Hook(m.Server.Foreign())) }

func (*mollied) Completes() {}

// paypaled is PayPal.
type paypaled struct {
	*paypal.Server

	h *harness.Service
}

func (p *paypaled) Bind(h *harness.Service) {
	p.h = h
	p.Now = h.Clock.Now
}

func (p *paypaled) Told() (told []paying.Hook) {
	for _, body := range p.Server.Told() {
		told = append(told, paying.Hook{Header: paypal.Usual(p.h.Clock.Now()).Sign(body), Body: body})
	}
	return told
}

func (p *paypaled) OtherMode(h paying.Hook) paying.Hook {
	return paying.Hook{Header: paypal.Elsewhere(p.h.Clock.Now()).Sign(h.Body), Body: h.Body}
}

func (p *paypaled) Greeting() paying.Hook {
	body := []byte(`{"id":"WH-0","event_type":"CUSTOMER.PAYOUT","resource":{}}`)
	return paying.Hook{Header: paypal.Usual(p.h.Clock.Now()).Sign(body), Body: body}
}
