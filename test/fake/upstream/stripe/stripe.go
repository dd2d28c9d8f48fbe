// Package stripe is Stripe on the loopback interface, for tests: what of
// https://docs.stripe.com/api the adapter uses, with the states, errors, idempotency keys and
// signatures that are described there. It can be told to misbehave.
package stripe

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	stripeadapter "gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/fake/upstream/keeping"
)

const (
	key    = "sk_test_51Gatehouse"
	signer = "whsec_of_the_endpoint"
)

// object is one object of the API. A name that begins with + is shown only where it is
// expanded; what else is an identifier is replaced by the object then.
type object = keeping.Object

// Server is a running Stripe.
type Server struct {
	keeping.Server

	hooks [][]byte
}

// Start starts Stripe. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	s.KeepsFailures = true
	s.Start(t, s.serve)
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"STRIPE_SECRET_KEY=" + key, "STRIPE_WEBHOOK_SECRET=" + signer, "STRIPE_BASE_URL=" + s.HTTP.URL}
}

// Sign returns the headers of a hook with a body.
func (s *Server) Sign(body []byte, at time.Time) http.Header {
	return http.Header{stripeadapter.SignatureHeader: {stripeadapter.Signed().Sign(secret.New(signer), body, at)}}
}

// Hooks returns the bodies of the hooks since it was asked last.
func (s *Server) Hooks() [][]byte {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	hooks := s.hooks
	s.hooks = nil
	return hooks
}

// OtherMode is the body of a hook as it would be with real money.
func (*Server) OtherMode(body []byte) []byte {
	return []byte(strings.ReplaceAll(string(body), `"livemode":false`, `"livemode":true`))
}

// Refunds returns how much went back.
func (s *Server) Refunds() (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.all("refund", nil) {
		sum += one["amount"].(int64)
	}
	return sum
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if pdf, ok := strings.CutPrefix(r.URL.Path, "/pdf/"); ok {
		fmt.Fprintf(w, "%%PDF-1.7 %s", pdf)
		return
	}
	status, body := http.StatusUnauthorized, wrong("invalid_request_error", "Invalid API Key provided")
	if r.Header.Get("Authorization") == "Bearer "+key {
		status, body = s.once(r)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", s.Made))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// once answers a call whose idempotency key is known as it was answered before.
func (s *Server) once(r *http.Request) (int, object) {
	if err := r.ParseForm(); err != nil {
		return http.StatusBadRequest, wrong("invalid_request_error", err.Error())
	}
	if r.Method != http.MethodPost {
		return s.route(r)
	}
	status, body, same := s.Once(r.Header.Get("Idempotency-Key"), r.URL.Path+"?"+r.Form.Encode(), func() (int, object) { return s.route(r) })
	if !same {
		return http.StatusBadRequest, wrong("idempotency_error", "Keys for idempotent requests can only be used with the same parameters they were first used with.")
	}
	return status, body
}

func (s *Server) route(r *http.Request) (int, object) {
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	kind, id, _ := strings.Cut(path, "/")
	if kind == "checkout" || kind == "billing" || kind == "billing_portal" {
		under, rest, _ := strings.Cut(id, "/")
		kind, id = kind+"/"+under, rest
	}
	switch {
	case r.Method == http.MethodGet && id == "":
		return http.StatusOK, s.list(r, kind)
	case r.Method == http.MethodPost && id == "":
		return s.create(kind, form(r.Form))
	}
	found, known := s.Objects[id]
	if !known {
		return http.StatusNotFound, object{"error": object{"type": "invalid_request_error", "code": "resource_missing", "message": "No such object: '" + id + "'"}}
	}
	switch r.Method {
	case http.MethodDelete:
		return s.cancel(found)
	case http.MethodPost:
		return s.change(kind, found, form(r.Form))
	}
	return http.StatusOK, s.shown(found, form(r.Form))
}

// form is what a call sends.
type form map[string][]string

func (f form) get(name string) string {
	if len(f[name]) == 0 {
		return ""
	}
	return f[name][0]
}

func (f form) number(name string) int64 {
	var n int64
	_, _ = fmt.Sscan(f.get(name), &n)
	return n
}

// under returns what is sent of a map, such as metadata.
func (f form) under(name string) object {
	all := object{}
	for field, values := range f {
		if rest, ok := strings.CutPrefix(field, name+"["); ok {
			all[strings.TrimSuffix(rest, "]")] = values[0]
		}
	}
	return all
}

func wrong(kind, message string) object {
	return object{"error": object{"type": kind, "message": message}}
}

func (s *Server) put(prefix string, o object) object {
	id := s.Name(prefix + "_%d")
	if named, ok := o["id"].(string); ok {
		id = named
	}
	o["created"], o["livemode"] = s.Now().Unix(), false
	return s.Keep(id, o)
}

// all returns the objects of a kind that match, newest first.
func (s *Server) all(kind string, matches object) []object {
	return s.All(object{"object": kind}, matches)
}

// list answers a list. What is asked for narrows it.
func (s *Server) list(r *http.Request, kind string) object {
	kinds := map[string]string{
		"prices": "price", "checkout/sessions": "checkout.session", "invoices": "invoice", "payment_intents": "payment_intent",
		"refunds": "refund", "disputes": "dispute", "billing/meters": "billing.meter", "invoice_payments": "invoice_payment",
	}
	names := map[string]string{
		"subscription": "+subscription", "payment_intent": "payment_intent", "customer": "customer", "lookup_keys[0]": "lookup_key",
		"payment[payment_intent]": "+payment_intent", "status": "status",
	}
	if kind == "checkout/sessions" {
		names["subscription"] = "subscription"
	}
	matches := object{}
	for given, name := range names {
		if value := r.Form.Get(given); value != "" {
			matches[name] = value
		}
	}
	data := []any{}
	for _, one := range s.all(kinds[kind], matches) {
		data = append(data, s.shown(one, form(r.Form)))
	}
	return object{"object": "list", "data": data, "has_more": false, "url": r.URL.Path}
}

// shown is an object with what a call wants expanded.
func (s *Server) shown(o object, asked form) object {
	var expand []string
	for name, values := range asked {
		if strings.HasPrefix(name, "expand[") {
			expand = append(expand, strings.TrimPrefix(values[0], "data."))
		}
	}
	return s.expanded(o, expand)
}

func (s *Server) expanded(o object, paths []string) object {
	out := maps.Clone(o)
	maps.DeleteFunc(out, func(name string, _ any) bool { return strings.HasPrefix(name, "+") })
	rests := map[string][]string{}
	for _, path := range paths {
		head, rest, deeper := strings.Cut(path, ".")
		if rests[head] = append([]string{}, rests[head]...); deeper {
			rests[head] = append(rests[head], rest)
		}
	}
	for head, rest := range rests {
		switch v := o[head].(type) {
		case string:
			if target, known := s.Objects[v]; known {
				out[head] = s.expanded(target, rest)
			}
		case nil:
			if ids, ok := o["+"+head].([]string); ok {
				data := []any{}
				for _, id := range ids {
					data = append(data, s.expanded(s.Objects[id], rest))
				}
				out[head] = object{"object": "list", "data": data, "has_more": false, "url": "/"}
			}
		}
	}
	return out
}

// tell keeps an event of an object for the hooks.
func (s *Server) tell(kind string, o object) {
	s.Made++
	body, err := json.Marshal(object{
		"id": fmt.Sprintf("evt_%d", s.Made), "object": "event", "type": kind, "created": s.Now().Unix(), "livemode": false,
		"api_version": "2026-05-27.dahlia", "data": object{"object": s.expanded(o, nil)},
	})
	if err != nil {
		s.T.Errorf("encode an event: %v", err)
	}
	s.hooks = append(s.hooks, body)
}
