package paying_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/contract/paying"
	"gatehouse.internal/test/harness"
)

// A call that misspells a field, or has one that the processor's description does not name, is
// refused by each upstream that goes by a table of shapes, so that the suite would find it.
// Stripe's own mock does that for Stripe.
func TestUpstreamsRefuseOtherShapes(t *testing.T) {
	t.Parallel()
	for _, c := range paying.Remotes() {
		if c.Name == "stripe" {
			continue
		}
		for name, change := range map[string]func(map[string]any){
			"as it is": func(map[string]any) {},
			"one more": func(sent map[string]any) { sent["color"] = "red" },
			"misspelled": func(sent map[string]any) {
				for field, value := range sent {
					delete(sent, field)
					sent[field+"s"] = value
					return
				}
			},
		} {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				at := c.Start(t)
				h := harness.On(t, harness.SQLite(t), through(t, at.Environment(), change)...)
				at.Bind(h)
				seller := h.SignUp("seller@example.com")
				product := seller.Do("PRODUCT.CREATE", paying.P{"name": "Table", "slug": "table", "public": true, "processor": c.Name}).OK().String("product.id")
				price := seller.Do("BILLING.PRICE_CREATE", paying.P{"product_id": product, "currency": "EUR", "unit_amount": 5000}).OK().String("price.id")
				made := seller.Do("BILLING.CHECKOUT_CREATE", paying.P{"price_id": price, "success_url": paying.Done})
				if name == "as it is" {
					made.OK()
					return
				}
				made.Fails(fault.Validation)
			})
		}
	}
}

// through returns an environment whose calls go by what changes each JSON object that is sent.
func through(t *testing.T, environment []string, change func(map[string]any)) []string {
	t.Helper()
	environment = slices.Clone(environment)
	for i, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(name, "_BASE_URL") {
			continue
		}
		to, err := url.Parse(value)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(to)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			var sent map[string]any
			if err == nil && json.Unmarshal(body, &sent) == nil {
				change(sent)
				body, err = json.Marshal(sent)
			}
			if err != nil {
				t.Error(err)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		environment[i] = name + "=" + server.URL
	}
	return environment
}
