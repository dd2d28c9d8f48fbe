package people_test

import (
	"testing"

	"gatehouse.internal/test/harness"
)

// uses lists the keys whose use is known, with whose they are; a row of no key is told.
func uses(t *testing.T, h *harness.Service) map[string]string {
	t.Helper()
	var found []struct {
		Subject string
		Owner   *string
	}
	err := h.Store.Database().Read.SelectContext(t.Context(), &found,
		`SELECT l.subject AS subject, k.user_id AS owner FROM last_uses l LEFT JOIN api_keys k ON k.id = l.subject`)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, row := range found {
		if known[row.Subject] = ""; row.Owner != nil {
			known[row.Subject] = *row.Owner
		}
	}
	return known
}

// A promoted or deleted account leaves nothing of when its keys were used, and of a merged
// one the keys' new owner alone has it.
func TestUsesGoWithTheAccount(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		used := func(email string) *harness.Actor {
			who := h.SignUp(email)
			made := who.Do("API_KEY.CREATE", P{"name": "ci", "scopes": []string{"*"}}).OK()
			h.With(made.String("key")).Do("USER.ME", nil).OK()
			if uses(t, h)[made.String("api_key.id")] != who.UserID {
				t.Fatalf("no use of the key of %s is known", email)
			}
			return who
		}
		promoted := used("promoted@example.com")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": promoted.UserID, "is_superadmin": true}).OK()
		deleted := used("deleted@example.com")
		root.Do("USER.DELETE", P{"user_id": deleted.UserID}).OK()
		if left := uses(t, h); len(left) != 0 {
			t.Errorf("after a promotion and a deletion there is %v", left)
		}
		source, target := used("source@example.com"), h.SignUp("target@example.com")
		merge(root, source.UserID, target.UserID).OK()
		for key, owner := range uses(t, h) {
			if owner != target.UserID {
				t.Errorf("after a merge the use of %s is of %q", key, owner)
			}
		}
	})
}
