package bootstrap_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// Keys stay published while the store is down, so that others can verify tokens.
func TestKeysArePublishedWithoutTheStore(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	get := func(path string) string {
		t.Helper()
		answer := httptest.NewRecorder()
		h.Handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK {
			t.Errorf("%s = %d %s", path, answer.Code, answer.Body)
		}
		return answer.Body.String()
	}
	const keys, configuration = "/.well-known/jwks.json", "/.well-known/openid-configuration"
	fresh := get(keys)
	h.Superadmin().Do("JWT_KEY.ROTATE", nil).OK()
	rotated, described := get(keys), get(configuration)
	if rotated == fresh || strings.Count(rotated, `"kid"`) != 3 {
		t.Errorf("after a rotation the keys are %s", rotated)
	}
	if err := h.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if got := get(keys); got != rotated {
		t.Errorf("without a store the keys are %s, want %s", got, rotated)
	}
	if got := get(configuration); got != described {
		t.Errorf("without a store the configuration is %s, want %s", got, described)
	}
}
