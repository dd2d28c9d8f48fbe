// Package polar is Polar on the loopback interface, for tests: what of
// https://polar.sh/docs/api-reference the adapter uses, with the states, errors and signatures
// that are described there. It takes no field that is not described, tells nothing of
// disputes, and can be told to misbehave.
package polar

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/fake/upstream/keeping"
)

const (
	token  = "polar_oat_of_the_organization"
	signer = "polar_whs_of_the_endpoint"
	// elsewhere is the secret of the endpoint in the other mode.
	elsewhere = "polar_whs_of_another_endpoint"
	// currency is the default one of the organization, which each price has.
	currency = "eur"
)

// object is one object of the API. A name that begins with + is never shown.
type object = keeping.Object

// Hook is one event.
type Hook struct {
	ID   string
	Body []byte
}

// Server is a running Polar.
type Server struct {
	keeping.Server

	hooks []Hook
}

// Start starts Polar. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	s.Start(t, s.serve)
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"POLAR_SECRET_KEY=" + token, "POLAR_WEBHOOK_SECRET=" + signer, "POLAR_MODE=test", "POLAR_BASE_URL=" + s.HTTP.URL}
}

// Sign returns the headers of a hook.
func (s *Server) Sign(h Hook, at time.Time) http.Header {
	return payment.SignStandard(secret.New(signer), h.ID, h.Body, at)
}

// SignElsewhere returns the headers of a hook of the other mode.
func (s *Server) SignElsewhere(h Hook, at time.Time) http.Header {
	return payment.SignStandard(secret.New(elsewhere), h.ID, h.Body, at)
}

// Hooks returns the events since it was asked last.
func (s *Server) Hooks() []Hook {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	hooks := s.hooks
	s.hooks = nil
	return hooks
}

// Refunds returns how much went back.
func (s *Server) Refunds() (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.all("refunds", nil) {
		sum += one["amount"].(int64) + one["tax_amount"].(int64)
	}
	return sum
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if pdf, ok := strings.CutPrefix(r.URL.Path, "/pdf/"); ok {
		if r.Header.Get("Authorization") != "" {
			s.T.Error("the token is sent to where documents are")
		}
		fmt.Fprintf(w, "%%PDF-1.7 %s", pdf)
		return
	}
	status, body := http.StatusUnauthorized, wrong("invalid_token", "The access token provided is expired, revoked, malformed, or invalid for other reasons.")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+token:
	case r.Header.Get("Polar-Version") != "2026-04":
		status, body = http.StatusNotFound, object{"detail": "Not Found"}
	default:
		status, body = s.route(r)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *Server) route(r *http.Request) (int, object) {
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	kind, id, _ := strings.Cut(path, "/")
	id, under, _ := strings.Cut(id, "/")
	var sent object
	if body, err := io.ReadAll(r.Body); err == nil && len(body) > 0 {
		if err := json.Unmarshal(body, &sent); err != nil {
			return invalid("body", err.Error())
		}
	}
	if flaw := flaws(r, kind, id, under, sent); flaw != "" {
		return invalid("body", flaw)
	}
	if kind == "events" {
		return s.ingest(sent)
	}
	if id == "" {
		if r.Method == http.MethodGet {
			return s.list(r.URL.Query(), kind)
		}
		return s.create(kind, sent)
	}
	if kind == "customers" && id == "external" {
		for _, one := range s.all(kind, object{"external_id": under}) {
			return http.StatusOK, keeping.Shown(one)
		}
		return missing()
	}
	found, known := s.Objects[id]
	if !known || found["+kind"] != kind {
		return missing()
	}
	switch {
	case under == "invoice":
		return s.invoice(r.Method, found)
	case r.Method == http.MethodGet:
		return http.StatusOK, keeping.Shown(found)
	case r.Method == http.MethodDelete:
		return s.revoke(found)
	}
	return s.change(kind, found, sent)
}

func wrong(kind, message string) object { return object{"error": kind, "detail": message} }

func missing() (int, object) { return http.StatusNotFound, wrong("ResourceNotFound", "Not found") }

func invalid(where, message string) (int, object) {
	return http.StatusUnprocessableEntity, object{"error": "RequestValidationError", "detail": []object{
		{"type": "value_error", "loc": []string{where}, "msg": message, "input": "personal"},
	}}
}

func (s *Server) id() string {
	s.Made++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.Made)
}

func (s *Server) put(kind string, o object) object {
	o["created_at"], o["modified_at"], o["+kind"] = s.when(), nil, kind
	return s.Keep(s.id(), o)
}

// when is now, as answers have it.
func (s *Server) when() string { return moment(s.Now()) }

func moment(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

func (s *Server) touch(o object) object {
	o["modified_at"] = s.when()
	return o
}

// all returns the objects of a kind that match, newest first.
func (s *Server) all(kind string, matches object) []object {
	return s.All(object{"+kind": kind}, matches)
}

// list answers a page of a list. What is asked for narrows it.
func (s *Server) list(asked url.Values, kind string) (int, object) {
	const most = 100
	page, err := strconv.Atoi(asked.Get("page"))
	limit, wrong := strconv.Atoi(asked.Get("limit"))
	if err != nil || wrong != nil || page < 1 || limit < 1 {
		return invalid("limit", "no page")
	}
	limit = min(limit, most)
	items := []object{}
	for _, one := range s.all(kind, nil) {
		if fits(one, asked) {
			items = append(items, keeping.Shown(one))
		}
	}
	pages := (len(items) + limit - 1) / limit
	from := min((page-1)*limit, len(items))
	return http.StatusOK, object{
		"items": items[from:min(from+limit, len(items))], "pagination": object{"total_count": len(items), "max_page": pages},
	}
}

func fits(one object, asked url.Values) bool {
	for name, values := range asked {
		key, marked := strings.CutPrefix(name, "metadata[")
		switch {
		case name == "page" || name == "limit":
		case name == "query":
			if !strings.Contains(one["name"].(string), values[0]) {
				return false
			}
		case marked:
			if of, _ := one["metadata"].(object)[strings.TrimSuffix(key, "]")].(string); of != values[0] {
				return false
			}
		case name == "customer_id" && one["+kind"] == "payments":
			if !slices.Contains(values, one["+customer_id"].(string)) {
				return false
			}
		default:
			if of, _ := one[name].(string); !slices.Contains(values, of) {
				return false
			}
		}
	}
	return true
}

// tell keeps events of an object for the hooks.
func (s *Server) tell(o object, kinds ...string) {
	for _, kind := range kinds {
		body, err := json.Marshal(object{"type": kind, "timestamp": s.when(), "data": keeping.Shown(o)})
		if err != nil {
			s.T.Errorf("encode an event: %v", err)
		}
		s.hooks = append(s.hooks, Hook{s.id(), body})
	}
}
