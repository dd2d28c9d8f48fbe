// Package paypal is PayPal on the loopback interface, for tests: what of
// https://developer.paypal.com/api/rest/ the adapter uses, with the states, errors, keys and
// signatures that are described there. It takes no field that is not described, charges
// subscriptions when it is told to, and can be told to misbehave.
package paypal

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

const (
	client, secret = "AeA1QIZXiflr1_-gatehouse", "ECYYrrSHdKfk_Q0EdvzdGkzj58a66kKaUQ5dZAEv4HvvtDId2_DpSuYDB088BZxGuMji7G4OFUnPog6p"
	// webhook and elsewhere are the identifiers of the webhook, and of that of the other mode.
	webhook, elsewhere = "9XL90610J3647323C", "1JE4291016473214C"
	// lasts is for how many seconds a token is taken.
	lasts = 32400
)

type object = keeping.Object

// Server is a running PayPal.
type Server struct {
	keeping.Server

	token string
	until time.Time
	hooks [][]byte
}

// Start starts PayPal. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	s.Start(t, s.serve)
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"PAYPAL_SECRET_KEY=" + client + ":" + secret, "PAYPAL_WEBHOOK_SECRET=" + webhook, "PAYPAL_MODE=test", "PAYPAL_BASE_URL=" + s.HTTP.URL}
}

// Hooks returns the bodies of the events since it was asked last.
func (s *Server) Hooks() [][]byte {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	hooks := s.hooks
	s.hooks = nil
	return hooks
}

// Refunds returns how much went back, in minor units.
func (s *Server) Refunds() (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.All(object{"+kind": "refund"}) {
		sum += minor(one["amount"])
	}
	return sum
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/v1/notifications/certs/") {
		s.certify(w, r)
		return
	}
	status, body := wrong(http.StatusUnauthorized, "AUTHENTICATION_FAILURE", "invalid_token")
	switch {
	case r.URL.Path == "/v1/oauth2/token":
		status, body = s.authorize(r)
	case s.token != "" && r.Header.Get("Authorization") == "Bearer "+s.token && s.Now().Before(s.until):
		status, body = s.once(r)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// authorize hands out the token that is valid, or another one.
func (s *Server) authorize(r *http.Request) (int, object) {
	id, key, _ := r.BasicAuth()
	if id != client || key != secret || r.FormValue("grant_type") != "client_credentials" {
		return http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "Client Authentication failed"}
	}
	if now := s.Now(); s.token == "" || !now.Before(s.until) {
		s.token, s.until = s.Name("A21AAF%04d"), now.Add(lasts*time.Second)
	}
	return http.StatusOK, object{"access_token": s.token, "token_type": "Bearer", "expires_in": int(s.until.Sub(s.Now()).Seconds())}
}

// Revoke ends the token before its time.
func (s *Server) Revoke() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.token = ""
}

// keyed are the operations that take a key.
func keyed(path string) bool {
	return !strings.HasPrefix(path, "/v1/billing/subscriptions/")
}

// once answers a call whose key is known as it was answered before.
func (s *Server) once(r *http.Request) (int, object) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return wrong(http.StatusBadRequest, "INVALID_REQUEST", err.Error())
	}
	key := r.Header.Get("Paypal-Request-Id")
	if r.Method == http.MethodGet {
		return s.route(r, nil)
	}
	if keyed(r.URL.Path) != (key != "") {
		s.T.Errorf("%s %s with the key %q", r.Method, r.URL.Path, key)
	}
	status, body, same := s.Once(key, r.URL.Path+" "+string(content), func() (int, object) { return s.route(r, content) })
	if !same {
		s.T.Errorf("one key for %s and another call", r.URL.Path)
	}
	return status, body
}

func wrong(status int, name, issue string) (int, object) {
	return status, object{"name": name, "message": http.StatusText(status), "debug_id": "b1d1f06c7246c", "details": []object{{"issue": issue, "description": issue}}}
}

func missing() (int, object) {
	return wrong(http.StatusNotFound, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID")
}

func unfit(issue string) (int, object) {
	return wrong(http.StatusUnprocessableEntity, "UNPROCESSABLE_ENTITY", issue)
}

// kinds are what is at each place.
func kinds() map[string]string {
	return map[string]string{
		"v2/checkout/orders": "order", "v2/payments/captures": "capture", "v2/payments/refunds": "refund", "v1/payments/sale": "transaction",
		"v1/billing/subscriptions": "subscription", "v1/billing/plans": "plan", "v1/catalogs/products": "product", "v1/customer/disputes": "dispute",
	}
}

// route answers a call about an object, or about all of a kind.
func (s *Server) route(r *http.Request, content []byte) (int, object) {
	const place, whole, below = 3, 4, 5
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < place || len(parts) > below {
		return missing()
	}
	kind := kinds()[strings.Join(parts[:place], "/")]
	var sent object
	if r.Method == http.MethodPost {
		if err := json.Unmarshal(content, &sent); err != nil {
			return wrong(http.StatusBadRequest, "INVALID_REQUEST", "MALFORMED_REQUEST_JSON")
		}
	}
	what := kind
	if len(parts) >= whole {
		what += "/"
	}
	if len(parts) == below {
		what += parts[whole]
	}
	if issue := flaw(r.Method+" "+what, sent, r.URL.Query()); issue != "" {
		return wrong(http.StatusBadRequest, "INVALID_REQUEST", issue)
	}
	if len(parts) == place {
		if r.Method == http.MethodGet {
			return s.list(kind, r.URL.Query())
		}
		return s.create(kind, sent)
	}
	found, known := s.Objects[parts[place]]
	if !known || (found["+kind"] != kind && (kind != "capture" || found["+kind"] != "transaction")) || (kind == "capture" && found["+kind"] == "transaction" && len(parts) == whole) {
		return missing()
	}
	switch {
	case len(parts) == below && r.Method == http.MethodGet:
		return s.transactions(found)
	case len(parts) == below:
		return s.act(parts[whole], found, sent)
	}
	return http.StatusOK, s.shown(found)
}

func (s *Server) put(kind, id string, o object) object {
	o["+kind"], o["create_time"] = kind, s.stamp()
	return s.Keep(id, o)
}

// token17 is an identifier as PayPal makes them.
func (s *Server) token17() string { return s.Name("5O190127TN%07d") }

func (s *Server) stamp() string { return moment(s.Now()) }

func moment(at time.Time) string { return at.UTC().Truncate(time.Second).Format(time.RFC3339) }

// tell keeps an event of an object for the hooks.
func (s *Server) tell(kind string, o object) {
	body, err := json.Marshal(object{
		"id": s.Name("WH-9UG43882HX%07d-6E0871324L7949614"), "event_version": "1.0", "create_time": s.stamp(), "event_type": kind, "resource": o,
	})
	if err != nil {
		s.T.Errorf("encode an event: %v", err)
	}
	s.hooks = append(s.hooks, body)
}

func at(path string, args ...any) string {
	return "https://api-m.sandbox.paypal.com/" + fmt.Sprintf(path, args...)
}
