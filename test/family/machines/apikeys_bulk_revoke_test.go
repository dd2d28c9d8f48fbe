package machines_test

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

func TestBulkRevokeByFilter(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]func(bob *harness.Actor, middle string) harness.P{
		"person":  func(bob *harness.Actor, _ string) harness.P { return harness.P{"user_id": bob.UserID} },
		"idle":    func(_ *harness.Actor, middle string) harness.P { return harness.P{"unused_since": middle} },
		"created": func(_ *harness.Actor, middle string) harness.P { return harness.P{"created_before": middle} },
		"all of them": func(bob *harness.Actor, middle string) harness.P {
			return harness.P{"user_id": bob.UserID, "unused_since": middle, "created_before": middle}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
			inside := enter(t, h, bob, alice, "bob@example.com", role.Admin)
			matching, elsewhere := mint(h, inside), mint(h, bob)
			h.Clock.Advance(time.Minute)
			middle := h.Clock.Now().Format(time.RFC3339Nano)
			other := mint(h, alice)
			if got := alice.DryRun().Do("API_KEY.BULK_REVOKE", params(bob, middle)).Int("revoked_count"); got != 1 {
				t.Errorf("dry run: revoked_count = %d, want 1", got)
			}
			for _, want := range []int{1, 0} {
				if got := alice.Do("API_KEY.BULK_REVOKE", params(bob, middle)).Int("revoked_count"); got != want {
					t.Errorf("revoked_count = %d, want %d", got, want)
				}
			}
			wantEnded(t, h, matching, apikey.ByAdmin)
			works(t, "a key that does not match", other, true)
			works(t, "a key of another workspace", elsewhere, true)
		})
	}
}

func TestBulkRevokeSparesWhatIsUsedOrNew(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	idle, used := mint(h, alice), mint(h, alice)
	h.Clock.Advance(10 * time.Minute)
	middle := h.Clock.Now().Format(time.RFC3339Nano)
	used.holder.Do("AUTH.WHOAMI", nil).OK()
	fresh := mint(h, alice)
	if got := alice.Do("API_KEY.BULK_REVOKE", harness.P{"unused_since": middle}).Int("revoked_count"); got != 1 {
		t.Errorf("revoked_count = %d, want 1", got)
	}
	wantEnded(t, h, idle, apikey.ByAdmin)
	works(t, "a key that was used since", used, true)
	works(t, "a key that was made since", fresh, true)
}

func TestBulkRevokeSparesTheKeyThatCalls(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	other, caller := mint(h, alice), mint(h, alice, "api_keys:write")
	if got := caller.holder.Do("API_KEY.BULK_REVOKE", harness.P{"user_id": alice.UserID}).Int("revoked_count"); got != 1 {
		t.Errorf("revoked_count = %d, want 1", got)
	}
	wantEnded(t, h, other, apikey.ByAdmin)
	works(t, "the key that called", caller, true)
}

func TestAnAppKeepsKeysInOrder(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	janitor := alice.Machine("janitor", "api_keys:read", "api_keys:write")
	made := mint(h, alice)
	if got := ids(janitor.Do("API_KEY.SEARCH", nil)); len(got) != 1 || got[0] != made.id {
		t.Errorf("found %q", got)
	}
	janitor.Do("API_KEY.BULK_REVOKE", harness.P{"user_id": alice.UserID}).OK()
	wantEnded(t, h, made, apikey.ByAdmin)
}

func TestBulkRevokeGoesOnUntilNoneIsLeft(t *testing.T) {
	t.Parallel()
	const many = 401 // two full batches and one
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) machines.APIKeys { return machinesstore.APIKeys(tx) })
	err := unit.Do(context.Background(), func(tx machines.APIKeys) error {
		for range many {
			k, err := apikey.Mint(apikey.Draft{
				ID: apikey.NewID(system.IDs{}), UserID: user.ID(alice.UserID), OrgID: workspace.ID(alice.OrgID),
				Text: keytext.New(keytext.APIKey, system.Random{}),
			}, h.Clock.Now())
			if err != nil {
				return err
			}
			if err := tx.Save(context.Background(), k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := alice.Do("API_KEY.BULK_REVOKE", harness.P{"user_id": alice.UserID}).Int("revoked_count"); got != many {
		t.Errorf("revoked_count = %d, want %d", got, many)
	}
	if n := alice.Do("API_KEY.LIST", nil).Int("summary.active"); n != 0 || len(h.Events(apikey.KindRevoked)) != many {
		t.Errorf("%d active keys are left, %d events", n, len(h.Events(apikey.KindRevoked)))
	}
}

func TestBulkRevokeRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	made := mint(h, alice)
	refused := alice.Do("API_KEY.BULK_REVOKE", nil).Fails(fault.Validation)
	for _, path := range []string{"/user_id", "/unused_since", "/created_before"} {
		refused.Field(path)
	}
	if got := bob.Do("API_KEY.BULK_REVOKE", harness.P{"user_id": alice.UserID}).Int("revoked_count"); got != 0 {
		t.Errorf("a stranger ended %d keys", got)
	}
	works(t, "the key after all that", made, true)
	root := h.Superadmin()
	root.Do("API_KEY.BULK_REVOKE", nil).Fails(fault.Validation)
	if got := root.Do("API_KEY.BULK_REVOKE", harness.P{"user_id": alice.UserID}).Int("revoked_count"); got != 1 {
		t.Errorf("a superadmin ended %d keys, want 1", got)
	}
	wantEnded(t, h, made, apikey.ByAdmin)
}
