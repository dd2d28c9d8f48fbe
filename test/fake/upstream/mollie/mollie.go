// Package mollie is Mollie on the loopback interface, for tests: what of
// https://docs.mollie.com/reference the adapter uses, with the states, errors, idempotency keys
// and hooks that are described there. It takes no field that is not described, tells nothing
// of subscriptions and of chargebacks that are taken back, and can be told to misbehave.
package mollie

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

const (
	key = "test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM"
	// perPage is the most that a page of a list holds.
	perPage = 250
)

// object is one object of the API. A name that begins with + is never shown.
type object = keeping.Object

// Server is a running Mollie.
type Server struct {
	keeping.Server

	hooks []string
}

// Start starts Mollie. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	s.Start(t, s.serve)
	return s
}

// Environment returns the variables by which a development instance sells by it.
func (s *Server) Environment() []string {
	return []string{"MOLLIE_SECRET_KEY=" + key, "MOLLIE_BASE_URL=" + s.HTTP.URL}
}

// Hook is the body of a hook about a payment.
func Hook(payment string) []byte { return []byte("id=" + payment) }

// Elsewhere is a payment of the other mode, which the key does not know.
const Elsewhere = "tr_ofTheOtherMode"

// Foreign is a payment that the seller takes for something else.
func (s *Server) Foreign() string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return keeping.Text(s.put("payment", object{
		"status": "paid", "sequenceType": "oneoff", "amount": object{"currency": "EUR", "value": "50.00"}, "metadata": "an order of a shop", "paidAt": moment(s.Now()),
	})["id"])
}

// Hooks returns the bodies of the hooks since it was asked last. Refunds arrive before.
func (s *Server) Hooks() (hooks [][]byte) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range slices.Backward(s.all("refund", object{"status": "pending"})) {
		one["status"] = "refunded"
		s.tell(s.Objects[keeping.Text(one["paymentId"])])
	}
	for _, one := range s.hooks {
		hooks = append(hooks, Hook(one))
	}
	s.hooks = nil
	return hooks
}

// Refunds returns how much went back, or is about to, in minor units.
func (s *Server) Refunds() (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.all("refund", nil) {
		sum += minor(one["amount"])
	}
	return sum
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
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
	asked := r.Method + " " + r.URL.Path + " " + string(content)
	status, body, same := s.Once(r.Header.Get("Idempotency-Key"), asked, func() (int, object) { return s.route(r, content) })
	if !same {
		s.T.Errorf("the key of another call is that of %s", asked)
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
		if above, known = s.Objects[parts[1]]; !known || above["resource"] != singular(parts[0]) {
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
	found, known := s.Objects[id]
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
	prefix := map[string]string{"customer": "cst", "payment": "tr", "subscription": "sub", "refund": "re", "chargeback": "chb"}[kind]
	o["resource"], o["mode"] = kind, "test"
	if o["createdAt"] == nil {
		o["createdAt"] = moment(s.Now())
	}
	return s.Keep(s.Name(prefix+"_%010d"), o)
}

func moment(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05+00:00") }

// all returns the objects of a kind that match, newest first.
func (s *Server) all(kind string, matches object) []object {
	return s.All(object{"resource": kind}, matches)
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
	for _, one := range s.all(singular(kind), object{keeping.Text(above["resource"]) + "Id": above["id"]}) {
		if from != "" && from != one["id"] {
			continue
		}
		from = ""
		if len(items) == limit {
			asked.Set("from", keeping.Text(one["id"]))
			links["next"] = object{"href": "https://api.mollie.com" + r.URL.Path + "?" + asked.Encode(), "type": "application/hal+json"}
			break
		}
		items = append(items, s.shown(one))
	}
	return http.StatusOK, object{"count": len(items), "_embedded": object{kind: items}, "_links": links}
}

// shown is an object as it is answered, with links to what belongs to it.
func (s *Server) shown(o object) object {
	out := keeping.Shown(o)
	maps.DeleteFunc(out, func(_ string, value any) bool { return value == nil })
	links := object{}
	if o["resource"] == "payment" {
		at := "https://api.mollie.com/v2/payments/" + keeping.Text(o["id"])
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
	return s.HTTP.URL + "/checkout/select-method/" + keeping.Text(o["id"])
}

// tell keeps a hook about a payment, where there is somebody to tell.
func (s *Server) tell(payment object) {
	if strings.HasSuffix(keeping.Text(payment["webhookUrl"]), "/api/billing/webhooks/mollie") {
		s.hooks = append(s.hooks, keeping.Text(payment["id"]))
	}
}
