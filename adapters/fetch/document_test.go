package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"gatehouse.internal/adapters/fetch"
)

// A document is kept for as long as its headers let it.
func TestDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header map[string]string
		keep   time.Duration
	}{
		"nothing said":        {nil, 5 * time.Minute},
		"max-age":             {map[string]string{"Cache-Control": "public, max-age=120"}, 2 * time.Minute},
		"of some age":         {map[string]string{"Cache-Control": "max-age=120", "Age": "20"}, 100 * time.Second},
		"older than that":     {map[string]string{"Cache-Control": "max-age=120", "Age": "200"}, 0},
		"a year":              {map[string]string{"Cache-Control": "max-age=31536000"}, 24 * time.Hour},
		"never":               {map[string]string{"Cache-Control": "max-age=120, No-Store"}, 0},
		"only when asked":     {map[string]string{"Cache-Control": "no-cache"}, 0},
		"expires":             {map[string]string{"Date": "Tue, 24 Nov 2026 04:00:00 GMT", "Expires": "Tue, 24 Nov 2026 04:01:00 GMT"}, time.Minute},
		"expired":             {map[string]string{"Date": "Tue, 24 Nov 2026 04:00:00 GMT", "Expires": "Tue, 24 Nov 2026 03:01:00 GMT"}, 0},
		"max-age and expires": {map[string]string{"Cache-Control": "max-age=60", "Date": "Tue, 24 Nov 2026 04:00:00 GMT", "Expires": "Tue, 24 Nov 2026 05:00:00 GMT"}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept") != "application/json" {
					t.Errorf("asked for %v", r.Header)
				}
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				for name, value := range c.header {
					w.Header().Set(name, value)
				}
				_, _ = fmt.Fprint(w, `{}`)
			})
			body, keep, err := client.Document(t.Context(), address)
			if err != nil || string(body) != `{}` || keep != c.keep {
				t.Errorf("Document() = %s, %v, %v, want %v", body, keep, err, c.keep)
			}
		})
	}
}

// What is no small JSON document of the internet is refused.
func TestDocumentRefuses(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `{}`)
		},
		"a long document": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `"`+strings.Repeat("a", 16<<10)+`"`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, client := serve(t, answer)
			if body, _, err := client.Document(t.Context(), address); err == nil {
				t.Errorf("Document() = %d bytes, want an error", len(body))
			}
		})
	}
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]"} {
		if _, _, err := fetch.New(fetch.Options{}).Document(t.Context(), "https://"+host+"/client.json"); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("Document(%s) = %v, want ErrProhibitedIP", host, err)
		}
	}
}
