package people_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/test/harness"
)

// What ends the sessions of a person ends their API keys too, in every workspace, and
// counts both.
func TestWhatEndsSessionsEndsKeys(t *testing.T) {
	t.Parallel()
	type ending struct {
		end    func(root, alice *harness.Actor) *harness.Reply
		reason string
		// sessions is how many end, of two.
		sessions int
	}
	changed := func(more P) func(_, alice *harness.Actor) *harness.Reply {
		return func(_, alice *harness.Actor) *harness.Reply {
			params := change(harness.Password, strongPW)
			for name, value := range more {
				params[name] = value
			}
			return alice.Do("USER.CHANGE_PASSWORD", params)
		}
	}
	cases := map[string]ending{
		"set password": {func(root, alice *harness.Actor) *harness.Reply {
			return root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": strongPW})
		}, "password_changed", 2},
		"set hash": {func(root, alice *harness.Actor) *harness.Reply {
			return root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "hash": bcryptHash})
		}, "password_changed", 2},
		"disable": {func(root, alice *harness.Actor) *harness.Reply {
			return root.Do("USER.DISABLE", P{"user_id": alice.UserID})
		}, "user_disabled", 2},
		"change password":                   {changed(nil), "", 1},
		"change password and keys":          {changed(P{"end_keys": true}), "password_changed", 1},
		"change password and keys alone":    {changed(P{"end_keys": true, "keep_sessions": true}), "password_changed", 0},
		"change password and nothing else ": {changed(P{"keep_sessions": true}), "", 0},
	}
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, others := h.Superadmin(), minted(h, h.SignUp("bob@example.com"))
		number := 0
		for name, c := range cases {
			number++
			address := fmt.Sprintf("alice%d@example.com", number)
			alice := h.SignUp(address)
			h.Login(address, harness.Password)
			keys := []*harness.Actor{minted(h, alice), minted(h, alice)}
			r := c.end(root, alice).OK()
			ends := 0
			if c.reason != "" {
				ends = len(keys)
			}
			if r.Int("sessions_revoked") != c.sessions || r.Int("keys_revoked") != ends {
				t.Errorf("%s answered %v", name, r.Data)
			}
			events(t, h, alice.UserID, map[event.Kind]int{"session.revoked": c.sessions, "api_key.revoked": ends})
			root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
			for _, key := range keys {
				if worked := key.Do("AUTH.WHOAMI", nil).Failure == nil; worked != (ends == 0) {
					t.Errorf("after %s a key works: %v", name, worked)
				}
			}
			for _, e := range h.Events("api_key.revoked")[:ends] {
				if !strings.Contains(string(e.Data), `"reason":"`+c.reason+`"`) {
					t.Errorf("%s: api_key.revoked = %s", name, e.Data)
				}
			}
			others.Do("AUTH.WHOAMI", nil).OK()
		}
	})
}

// minted makes an API key of somebody and acts by it.
func minted(h *harness.Service, who *harness.Actor) *harness.Actor {
	return h.With(who.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key"))
}
