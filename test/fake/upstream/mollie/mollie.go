// Package mollie is Mollie on the loopback interface, for tests: what of
// https://docs.mollie.com/reference the adapter uses, with the states, errors, idempotency keys
// and hooks that are described there. It takes no field that is not described, tells nothing
// of subscriptions and of chargebacks that are taken back, and can be told to misbehave.
package mollie

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream/misbehaving"
)

const (
	key = "test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM"
	// perPage is the most that a page of a list holds.
	perPage = 250
)

// object is one object of the API. A name that begins with + is never shown.
type object = map[string]any

// Server is a running Mollie.
type Server struct {
	misbehaving.Switches

	t    testing.TB
	http *httptest.Server
	// Now is its clock.
	Now func() time.Time

	lie         int64
	lieCurrency string

	mu      sync.Mutex
	made    int
	objects map[string]object
	order   []string
	keys    map[string]answered
	told    []string
}

// answered is what was answered to a call with an idempotency key.
type answered struct {
	asked  string
	status int
	body   object
}

// Start starts Mollie. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, Now: time.Now, objects: map[string]object{}, keys: map[string]answered{}}
	s.http = httptest.NewServer(s.Around(http.HandlerFunc(s.serve)))
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"MOLLIE_SECRET_KEY=" + key, "MOLLIE_BASE_URL=" + s.http.URL}
}

// Hook is the body of a hook about a payment.
func Hook(payment string) []byte { return []byte("id=" + payment) }

// Elsewhere is a payment of the other mode, which the key does not know.
const Elsewhere = "tr_ofTheOtherMode"

// Foreign is a payment that the seller takes for something else.
func (s *Server) Foreign() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return text(s.put("payment", object{
		"status": "paid", "sequenceType": "oneoff", "amount": object{"currency": "EUR", "value": "50.00"}, "metadata": "an order of a shop", "paidAt": moment(s.Now()),
	})["id"])
}

// Told returns the bodies of the hooks since it was asked last. Refunds arrive before.
func (s *Server) Told() (told [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range slices.Backward(s.all("refund", object{"status": "pending"})) {
		one["status"] = "refunded"
		s.tell(s.objects[text(one["paymentId"])])
	}
	for _, one := range s.told {
		told = append(told, Hook(one))
	}
	s.told = nil
	return told
}

// Forget forgets the idempotency keys, as Mollie does after an hour.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.keys)
}

// Refunds returns how much went back, or is about to, in minor units.
func (s *Server) Refunds() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all("refund", nil) {
		sum += minor(one["amount"])
	}
	return sum
}

// Lie charges another sum from now on, or in another currency; 0 and "" are the truth.
func (s *Server) Lie(sum int64, currency string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lie, s.lieCurrency = sum, strings.ToUpper(currency)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := wrong(http.StatusUnauthorized, "", "Missing authentication, or failed to authenticate")
	if r.Header.Get("Authorization") == "Bearer "+key {
		status, body = s.once(r)
	}
	w.Header().Set("Content-Type", "application/hal+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// once answers a call whose idempotency key is known as it was answered before.
func (s *Server) once(r *http.Request) (int, object) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return wrong(http.StatusBadRequest, "", err.Error())
	}
	if r.Method == http.MethodGet {
		return s.route(r, nil)
	}
	asked, known := r.Method+" "+r.URL.Path+" "+string(content), r.Header.Get("Idempotency-Key")
	if earlier, ok := s.keys[known]; ok {
		if earlier.asked != asked {
			s.t.Errorf("one key for %s and %s", earlier.asked, asked)
		}
		return earlier.status, earlier.body
	}
	status, body := s.route(r, content)
	if status < http.StatusMultipleChoices {
		s.keys[known] = answered{asked, status, body}
	}
	return status, body
}

func wrong(status int, field, detail string) (int, object) {
	body := object{"status": status, "title": http.StatusText(status), "detail": detail, "_links": object{}}
	if field != "" {
		body["field"] = field
	}
	return status, body
}

func missing(id string) (int, object) {
	return wrong(http.StatusNotFound, "", "No entity exists with token '"+id+"'")
}

func unfit(field, detail string) (int, object) {
	return wrong(http.StatusUnprocessableEntity, field, detail)
}

// route answers a call about objects, or about those below one.
func (s *Server) route(r *http.Request, content []byte) (int, object) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v2/"), "/")
	kind, one, above := parts[0], len(parts)%2 == 0, object(nil)
	if len(parts) > 2 {
		var known bool
		if above, known = s.objects[parts[1]]; !known || above["resource"] != singular(parts[0]) {
			return missing(parts[1])
		}
		kind += "/" + parts[2]
	}
	var sent object
	if len(content) > 0 {
		if err := json.Unmarshal(content, &sent); err != nil {
			return wrong(http.StatusBadRequest, "", err.Error())
		}
	}
	if field, detail := flaw(r, kind, one, sent); detail != "" {
		return unfit(field, detail)
	}
	if !one {
		if r.Method == http.MethodGet {
			return s.list(r, kind, above)
		}
		return s.create(kind, above, sent)
	}
	id := parts[len(parts)-1]
	found, known := s.objects[id]
	if !known || found["resource"] != singular(parts[len(parts)-2]) || (above != nil && found["customerId"] != above["id"]) {
		return missing(id)
	}
	switch r.Method {
	case http.MethodPatch:
		return s.change(kind, found, sent)
	case http.MethodDelete:
		return s.cancel(found)
	}
	return http.StatusOK, s.shown(found)
}

func singular(kind string) string { return strings.TrimSuffix(kind, "s") }

// put keeps an object. Its identifier begins with what its kind does.
func (s *Server) put(kind string, o object) object {
	s.made++
	prefix := map[string]string{"customer": "cst", "payment": "tr", "subscription": "sub", "refund": "re", "chargeback": "chb"}[kind]
	id := fmt.Sprintf("%s_%010d", prefix, s.made)
	o["resource"], o["id"], o["mode"] = kind, id, "test"
	if o["createdAt"] == nil {
		o["createdAt"] = moment(s.Now())
	}
	s.objects[id] = o
	s.order = append(s.order, id)
	return o
}

func moment(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05+00:00") }

// all returns the objects of a kind that match, newest first.
func (s *Server) all(kind string, matches object) (found []object) {
	for _, id := range slices.Backward(s.order) {
		one := s.objects[id]
		fits := one["resource"] == kind
		for name, want := range matches {
			fits = fits && one[name] == want
		}
		if fits {
			found = append(found, one)
		}
	}
	return found
}

// list answers a page of a list below an object.
func (s *Server) list(r *http.Request, path string, above object) (int, object) {
	_, kind, _ := strings.Cut(path, "/")
	asked := r.URL.Query()
	limit, err := strconv.Atoi(asked.Get("limit"))
	if err != nil || limit < 1 || limit > perPage {
		return wrong(http.StatusBadRequest, "limit", "The limit is invalid")
	}
	from, links, items := asked.Get("from"), object{"next": nil}, []any{}
	for _, one := range s.all(singular(kind), object{text(above["resource"]) + "Id": above["id"]}) {
		if from != "" && from != one["id"] {
			continue
		}
		from = ""
		if len(items) == limit {
			asked.Set("from", text(one["id"]))
			links["next"] = object{"href": "https://api.mollie.com" + r.URL.Path + "?" + asked.Encode(), "type": "application/hal+json"}
			break
		}
		items = append(items, s.shown(one))
	}
	return http.StatusOK, object{"count": len(items), "_embedded": object{kind: items}, "_links": links}
}

// shown is an object as it is answered, with links to what belongs to it.
func (s *Server) shown(o object) object {
	out := maps.Clone(o)
	maps.DeleteFunc(out, func(name string, value any) bool { return strings.HasPrefix(name, "+") || value == nil })
	links := object{}
	if o["resource"] == "payment" {
		at := "https://api.mollie.com/v2/payments/" + text(o["id"])
		if o["status"] == "open" && o["sequenceType"] != "recurring" {
			links["checkout"] = object{"href": s.page(o), "type": "text/html"}
		}
		for _, kind := range []string{"refund", "chargeback"} {
			if len(s.all(kind, object{"paymentId": o["id"]})) > 0 {
				links[kind+"s"] = object{"href": at + "/" + kind + "s", "type": "application/hal+json"}
			}
		}
	}
	out["_links"] = links
	return out
}

func (s *Server) page(o object) string {
	return s.http.URL + "/checkout/select-method/" + text(o["id"])
}

// tell keeps a hook about a payment, where there is somebody to tell.
func (s *Server) tell(payment object) {
	if strings.HasSuffix(text(payment["webhookUrl"]), "/api/billing/webhooks/mollie") {
		s.told = append(s.told, text(payment["id"]))
	}
}

func text(of any) string {
	s, _ := of.(string)
	return s
}
