package bootstrap_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/adapters/pages/docs"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/test/harness"
)

// browse requests a page like a browser on this machine.
func browse(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, harness.Issuer+path, http.NoBody)
	r.RemoteAddr = "127.0.0.1:4000"
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer
}

// SERVICE_HOST cannot have a path that begins like one of the service's own.
func TestPathsOfTheService(t *testing.T) {
	t.Parallel()
	own := slices.Concat(pages.Paths(), development.Paths(), []string{docs.Path, "/api/v1/execute", "/mcp", "/ofrep/v1/evaluate/flags", "/health", "/metrics"})
	for _, path := range own {
		first := "/" + strings.Split(path, "/")[1]
		_, err := config.Load(map[string]string{"SERVICE_HOST": "https://example.com" + first}, true)
		if err == nil || !strings.Contains(err.Error(), "such as https://example.com/auth") {
			t.Errorf("beneath %s: %v", first, err)
		}
	}
}

// Development pages exist in development only.
func TestPagesForDevelopment(t *testing.T) {
	t.Parallel()
	production, err := build(t, sqliteFile(t))
	if err != nil {
		t.Fatal(err)
	}
	development := harness.New(t).Handler
	for _, path := range []string{"/", "/dev/mail", "/dev/commands", "/dev/commands/USER.ME"} {
		if page := browse(development, http.MethodGet, path); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `<span class="tag warn">Development</span>`) {
			t.Errorf("in development, %s answers %d", path, page.Code)
		}
		want := http.StatusNotFound
		if path == "/" {
			want = http.StatusSeeOther
		}
		if page := browse(production.Handler, http.MethodGet, path); page.Code != want || strings.Contains(page.Body.String(), "Development") {
			t.Errorf("in production, %s answers %d %s", path, page.Code, page.Body)
		}
	}
	for _, path := range []string{"/dev/superadmin", "/dev/commands/USER.ME"} {
		if page := browse(production.Handler, http.MethodPost, path); page.Code != http.StatusNotFound {
			t.Errorf("in production, POST %s answers %d", path, page.Code)
		}
	}
}
