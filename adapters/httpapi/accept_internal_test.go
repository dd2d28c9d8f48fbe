package httpapi

import (
	"net/http"
	"testing"
)

func TestPrefersPage(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8": true,
		"Text/HTML;level=1; q=0.5, application/json;q=0.4":                           true,
		"text/html":                      true,
		"":                               false,
		"*/*":                            false,
		"text/*":                         false,
		"application/json":               false,
		"text/html, application/json":    false,
		"text/html;q=0.9, */*":           false,
		"text/html;q=0.1, application/*": false,
		"text/html;q=0":                  false,
		"text/html;q=high":               false,
		";;, text/html;q":                false,
	} {
		if got := prefersPage(&http.Request{Header: http.Header{"Accept": {accept}}}); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
	lines := &http.Request{Header: http.Header{"Accept": {"text/html;q=0.5", "application/json"}}}
	if prefersPage(lines) {
		t.Error("the second line is not read")
	}
}
