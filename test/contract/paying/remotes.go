package paying

import (
	"net/http"
	"testing"

	"gatehouse.internal/test/fake/upstream/mollie"
	"gatehouse.internal/test/fake/upstream/paddle"
	"gatehouse.internal/test/fake/upstream/paypal"
	"gatehouse.internal/test/fake/upstream/polar"
	"gatehouse.internal/test/fake/upstream/stripe"
	"gatehouse.internal/test/harness"
)

// Remotes are the real processors, on the loopback interface. Unless they are bound to an
// instance they go by the clock of the machine.
func Remotes() []Case {
	return []Case{
		{Name: "stripe", Start: func(t testing.TB) Upstream { return &striped{stripe.Start(t)} }},
		{Name: "paddle", Start: func(t testing.TB) Upstream { return &paddled{paddle.Start(t)} }},
		{Name: "polar", Start: func(t testing.TB) Upstream { return &polared{polar.Start(t)} }},
		{Name: "mollie", Start: func(t testing.TB) Upstream { return &mollied{mollie.Start(t)} }},
		{Name: "paypal", Start: func(t testing.TB) Upstream { return &paypaled{paypal.Start(t)} }},
	}
}

// striped is Stripe.
type striped struct{ *stripe.Server }

func (s *striped) Bind(h *harness.Service) { s.Now = h.Clock.Now }

func (s *striped) Hooks() (hooks []Hook) {
	for _, body := range s.Server.Hooks() {
		hooks = append(hooks, s.sign(body))
	}
	return hooks
}

func (s *striped) sign(body []byte) Hook {
	return Hook{Header: s.Sign(body, s.Now()), Body: body}
}

func (s *striped) OtherMode(h Hook) Hook { return s.sign(s.Server.OtherMode(h.Body)) }

// polared is Polar.
type polared struct{ *polar.Server }

func (s *polared) Bind(h *harness.Service) { s.Now = h.Clock.Now }

func (s *polared) Hooks() (hooks []Hook) {
	for _, one := range s.Server.Hooks() {
		hooks = append(hooks, Hook{Header: s.Sign(one, s.Now()), Body: one.Body})
	}
	return hooks
}

func (s *polared) OtherMode(h Hook) Hook {
	one := polar.Hook{ID: h.Header.Get("Webhook-Id"), Body: h.Body}
	return Hook{Header: s.SignElsewhere(one, s.Now()), Body: h.Body}
}

// paddled is Paddle.
type paddled struct{ *paddle.Server }

func (p *paddled) Bind(h *harness.Service) { p.Now = h.Clock.Now }

func (p *paddled) Hooks() (hooks []Hook) {
	for _, body := range p.Server.Hooks() {
		hooks = append(hooks, Hook{Header: p.Sign(body, p.Now()), Body: body})
	}
	return hooks
}

func (p *paddled) OtherMode(h Hook) Hook {
	return Hook{Header: p.SignElsewhere(h.Body, p.Now()), Body: h.Body}
}

// mollied is Mollie.
type mollied struct{ *mollie.Server }

func (m *mollied) Bind(h *harness.Service) { m.Now = h.Clock.Now }

func (m *mollied) Hooks() (hooks []Hook) {
	for _, body := range m.Server.Hooks() {
		hooks = append(hooks, hooked(body))
	}
	return hooks
}

func hooked(body []byte) Hook {
	return Hook{Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, Body: body}
}

func (*mollied) OtherMode(Hook) Hook { return hooked(mollie.Hook(mollie.Elsewhere)) }

func (m *mollied) Foreign() Hook { return hooked(mollie.Hook(m.Server.Foreign())) }

func (*mollied) Completes() {}

// paypaled is PayPal.
type paypaled struct{ *paypal.Server }

func (p *paypaled) Bind(h *harness.Service) { p.Now = h.Clock.Now }

func (p *paypaled) Hooks() (hooks []Hook) {
	for _, body := range p.Server.Hooks() {
		hooks = append(hooks, Hook{Header: paypal.Usual(p.Now()).Sign(body), Body: body})
	}
	return hooks
}

func (p *paypaled) OtherMode(h Hook) Hook {
	return Hook{Header: paypal.Elsewhere(p.Now()).Sign(h.Body), Body: h.Body}
}

func (p *paypaled) Greeting() Hook {
	body := []byte(`{"id":"WH-0","event_type":"CUSTOMER.PAYOUT","resource":{}}`)
	return Hook{Header: paypal.Usual(p.Now()).Sign(body), Body: body}
}
