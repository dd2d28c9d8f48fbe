package machines_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A workspace has no more apps, keys, stored answers and audit entries than the settings
// say, however many ask at once and through whichever replica.
func TestQuotas(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		one, two := harness.On(t, database), harness.On(t, database)
		one.Superadmin().Do("SETTINGS.SET", P{"values": P{"max_apps": 3, "max_api_keys": 2, "max_stored_answers": 2, "audit_megabytes": 1}}).OK()
		alice := one.SignUp("alice@example.com")
		replicas := []*harness.Actor{alice, two.With(alice.AccessToken)}
		caller := func(i int) *harness.Actor { return replicas[i%2] }
		recorder := alice.Machine("recorder", "audit:write")
		recorders := []*harness.Actor{recorder, two.With(recorder.AccessToken)}
		bounded(t, "apps", 2, "max_apps", func(i int) *harness.Reply {
			return caller(i).Do("APP.REGISTER", P{"name": "App", "slug": fmt.Sprint("app-number-", i)})
		})
		bounded(t, "keys", 2, "max_api_keys", func(i int) *harness.Reply {
			return caller(i).Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}})
		})
		bounded(t, "answers", 2, "max_stored_answers", func(i int) *harness.Reply {
			return caller(i).Idempotent(fmt.Sprint("key ", i)).Do("USER.UPDATE", P{"display_name": fmt.Sprint("Ada ", i)})
		})
		entry, parts := P{"action": "filled", "actor": P{"id": "1"}, "context": P{"text": strings.Repeat("x", 15_900)}}, 61
		for i := range parts {
			recorders[i%2].Do("AUDIT.RECORD", entry).OK()
		}
		bounded(t, "entries", 1, "audit_megabytes", func(i int) *harness.Reply { return recorders[i%2].Do("AUDIT.RECORD", entry) })
		one.SignUp("bob@example.com").Do("APP.REGISTER", P{"name": "App", "slug": "app-of-another"}).OK()
	})
}

// bounded makes eight calls at once, of which so many are within a quota.
func bounded(t *testing.T, what string, within int, setting string, call func(i int) *harness.Reply) {
	t.Helper()
	replies := harness.Together(8, call)
	if got := harness.Codes(replies); got[""] != within || got[fault.Validation] != 8-within {
		t.Errorf("%s: %v, want %d calls within the quota", what, got, within)
	}
	for _, r := range replies {
		if r.Failure != nil && !strings.Contains(r.Failure.Message, setting) {
			t.Errorf("%s: the refusal %q does not name %s", what, r.Failure.Message, setting)
		}
	}
}
