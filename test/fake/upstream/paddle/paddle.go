// Package paddle is Paddle Billing on the loopback interface, for tests: what of
// https://developer.paddle.com/api-reference the adapter uses, with the states, errors and
// signatures that are described there. It takes no field that the reference has not, and can
// be told to misbehave.
package paddle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	paddleadapter "gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/fake/upstream/keeping"
)

const (
	key    = "pdl_sdbx_apikey_01gatehouse"
	token  = "test_01gatehouse"
	signer = "pdl_ntfset_of_the_destination"
	other  = "pdl_ntfset_of_another_destination"
	// approval is after how long the sandbox of Paddle approves refunds.
	approval = 10 * time.Minute
)

// object is one object of the API. A name that begins with + is not shown.
type object = keeping.Object

// Server is a running Paddle.
type Server struct {
	keeping.Server

	tax   int64
	hooks [][]byte
}

// Start starts Paddle. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	s.Start(t, s.serve)
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"PADDLE_SECRET_KEY=" + key, "PADDLE_WEBHOOK_SECRET=" + signer, "PADDLE_CLIENT_TOKEN=" + token, "PADDLE_BASE_URL=" + s.HTTP.URL}
}

// URL is where it is.
func (s *Server) URL() string { return s.HTTP.URL }

// Key is what calls are made by.
func (*Server) Key() string { return key }

// Sign returns the headers of a hook with a body.
func (*Server) Sign(body []byte, at time.Time) http.Header { return signed(signer, body, at) }

// SignElsewhere returns them of a destination with another secret, as each mode has its own.
func (*Server) SignElsewhere(body []byte, at time.Time) http.Header { return signed(other, body, at) }

func signed(by string, body []byte, at time.Time) http.Header {
	return http.Header{paddleadapter.SignatureHeader: {paddleadapter.Signed().Sign(secret.New(by), body, at)}}
}

// Hooks returns the bodies of the hooks since it was asked last. Refunds are approved before.
func (s *Server) Hooks() [][]byte {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.approve(0)
	hooks := s.hooks
	s.hooks = nil
	return hooks
}

// Refunds returns how much went back, or is about to.
func (s *Server) Refunds() (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.all("adj", object{"action": "refund"}) {
		if one["status"] != "rejected" {
			sum += whole(one["totals"].(object)["total"])
		}
	}
	return sum
}

// Lie is that of keeping.Server, for currencies as Paddle writes them.
func (s *Server) Lie(sum int64, currency string) { s.Server.Lie(sum, strings.ToUpper(currency)) }

// Tax has a tax of a share in percent on top of all that is bought from now on.
func (s *Server) Tax(percent int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.tax = percent
}

// approve approves the refunds that are older than a while.
func (s *Server) approve(after time.Duration) {
	for _, one := range slices.Backward(s.all("adj", object{"status": "pending_approval"})) {
		if made, _ := time.Parse(time.RFC3339Nano, one["created_at"].(string)); !s.Now().Before(made.Add(after)) {
			one["status"] = "approved"
			s.tell("adjustment.updated", one)
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if pdf, ok := strings.CutPrefix(r.URL.Path, "/pdf/"); ok {
		fmt.Fprintf(w, "%%PDF-1.7 %s", pdf)
		return
	}
	s.approve(approval)
	a := wrong(http.StatusForbidden, "authentication_malformed", "Authentication header included, but incorrectly formatted")
	if r.Header.Get("Authorization") == "Bearer "+key && r.Header.Get("Paddle-Version") == "1" {
		a = s.route(r)
	}
	s.Made++
	body := object{"meta": object{"request_id": fmt.Sprintf("req-%d", s.Made)}}
	if a.status >= http.StatusBadRequest {
		body["error"] = a.data
	} else {
		body["data"] = a.data
	}
	if a.listed {
		next := *r.URL
		if page := a.data.([]any); len(page) > 0 {
			asked := next.Query()
			asked.Set("after", keeping.Text(page[len(page)-1].(object)["id"]))
			next.RawQuery = asked.Encode()
		}
		body["meta"].(object)["pagination"] = object{"per_page": 1, "next": "https://api.paddle.example" + next.String(), "has_more": a.more, "estimated_total": 1}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(body)
}

// answer is what is answered to a call.
type answer struct {
	status       int
	data         any
	listed, more bool
}

func ok(o object) answer { return answer{status: http.StatusOK, data: keeping.Shown(o)} }

func created(o object) answer { return answer{status: http.StatusCreated, data: keeping.Shown(o)} }

func wrong(status int, code, detail string) answer {
	return answer{status: status, data: object{
		"type": "request_error", "code": code, "detail": detail, "documentation_url": "https://developer.paddle.com/errors/shared/" + code,
	}}
}

func (s *Server) route(r *http.Request) answer {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var body object
	if r.Method != http.MethodGet {
		// No body is one without fields.
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil && !errors.Is(err, io.EOF) {
			return wrong(http.StatusBadRequest, "bad_request", err.Error())
		}
	}
	place := parts[0]
	if len(parts) > 2 {
		place += "/" + parts[2]
	}
	if fault := shapeFault(r.Method, place, len(parts)%2 == 0, body, r.URL.Query()); fault != "" {
		return wrong(http.StatusBadRequest, "invalid_field", fault)
	}
	if len(parts) == 1 {
		if r.Method == http.MethodGet {
			return s.list(r, kinds()[place], nil)
		}
		return s.create(place, body)
	}
	of, known := s.Objects[parts[1]]
	if !known {
		return wrong(http.StatusNotFound, "not_found", "Unable to find "+parts[1])
	}
	if len(parts) == 2 {
		if r.Method == http.MethodGet {
			return ok(s.widened(of, r.URL.Query().Get("include")))
		}
		return s.change(place, of, body)
	}
	return s.below(r, place, of, parts[3:], body)
}

// below answers a call about what belongs to an object.
func (s *Server) below(r *http.Request, place string, of object, rest []string, body object) answer {
	switch {
	case place == "transactions/invoice":
		return ok(object{"url": s.HTTP.URL + "/pdf/" + of["id"].(string)})
	case place == "subscriptions/cancel":
		return s.cancel(of, body)
	case place == "customers/portal-sessions":
		return created(object{
			"id": "cpls_1", "customer_id": of["id"], "urls": object{"general": object{"overview": s.HTTP.URL + "/portal"}, "subscriptions": []any{}},
		})
	case r.Method == http.MethodGet:
		return s.list(r, kinds()[place], object{"customer_id": of["id"]})
	case len(rest) == 1:
		held, known := s.Objects[rest[0]]
		if !known {
			return wrong(http.StatusNotFound, "not_found", "Unable to find "+rest[0])
		}
		maps.Copy(held, body)
		return ok(held)
	}
	body["customer_id"] = of["id"]
	return created(s.put(kinds()[place], body))
}

// kinds are the prefixes of what is at each place.
func kinds() map[string]string {
	return map[string]string{
		"products": "pro", "prices": "pri", "discounts": "dsc", "transactions": "txn", "adjustments": "adj", "subscriptions": "sub", "customers": "ctm",
		"customers/addresses": "add", "customers/businesses": "biz",
	}
}

func (s *Server) put(prefix string, o object) object {
	o["+kind"], o["created_at"], o["updated_at"] = prefix, s.stamp(), s.stamp()
	return s.Keep(s.Name(prefix+"_01%024d"), o)
}

func (s *Server) stamp() string { return s.Now().UTC().Format(time.RFC3339Nano) }

// all returns the objects of a kind that match, newest first.
func (s *Server) all(kind string, matches object) []object {
	return s.All(object{"+kind": kind}, matches)
}

// list answers a page of a list.
func (s *Server) list(r *http.Request, prefix string, matches object) answer {
	asked := r.URL.Query()
	narrow := object{}
	maps.Copy(narrow, matches)
	for _, name := range []string{"subscription_id", "transaction_id", "customer_id", "code", "origin"} {
		if value := asked.Get(name); value != "" {
			narrow[name] = value
		}
	}
	since, _ := time.Parse(time.RFC3339, asked.Get("created_at[GTE]"))
	most, _ := strconv.Atoi(asked.Get("per_page"))
	after, page := asked.Get("after"), []any{}
	for _, one := range s.all(prefix, narrow) {
		switch at, _ := time.Parse(time.RFC3339Nano, one["created_at"].(string)); {
		case at.Before(since):
		case after != "":
			if after == one["id"] {
				after = ""
			}
		case len(page) == most:
			return answer{status: http.StatusOK, data: page, listed: true, more: true}
		default:
			page = append(page, keeping.Shown(s.widened(one, asked.Get("include"))))
		}
	}
	return answer{status: http.StatusOK, data: page, listed: true}
}

// widened is an object with what else was asked for.
func (s *Server) widened(o object, include string) object {
	kind, field, ref := map[string]string{"adjustment": "adj", "prices": "pri"}[include], map[string]string{"adjustment": "adjustments"}[include], "transaction_id"
	if kind == "" {
		return o
	}
	if kind == "pri" {
		field, ref = "prices", "product_id"
	}
	out, held := maps.Clone(o), []any{}
	for _, one := range s.all(kind, object{ref: o["id"]}) {
		held = append(held, keeping.Shown(one))
	}
	out[field] = held
	return out
}

// tell keeps an event of an object for the hooks.
func (s *Server) tell(kind string, o object) {
	s.Made++
	o["updated_at"] = s.stamp()
	body, err := json.Marshal(object{
		"event_id": fmt.Sprintf("evt_01%024d", s.Made), "event_type": kind, "occurred_at": s.stamp(), "notification_id": fmt.Sprintf("ntf_01%024d", s.Made),
		"data": keeping.Shown(o),
	})
	if err != nil {
		s.T.Errorf("encode an event: %v", err)
	}
	s.hooks = append(s.hooks, body)
}

func whole(text any) int64 {
	n, _ := strconv.ParseInt(fmt.Sprint(text), 10, 64)
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
