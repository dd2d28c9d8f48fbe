package commerce_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// What a license gives, with what its product gives to whoever owns it, is the same for
// validation, activation, files and the features of its owner.
func TestGivenFeatures(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer := vendor(h), h.SignUp("buyer@example.com")
		ada.Do("PRODUCT.UPDATE", P{"product_id": "table", "features": P{"pdf": true, "cad": true, "seats.max": 5}}).OK()
		terms := policy(ada, P{"offline_days": 3, "features": P{"cad": false, "seats.max": 9, "own": "x"}})
		id, key := issue(ada, P{"policy_id": terms, "user_id": buyer.UserID})
		want := fmt.Sprint(P{"pdf": true, "cad": false, "seats.max": 9, "own": "x"})
		machine := P{"key": key, "machine": "m"}
		activated := h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", machine).OK()
		validated := h.Anonymous().Do("LICENSE.VALIDATE", machine).OK()
		carried := h.Anonymous().Do("LICENSE.OFFLINE_CHECKOUT", machine).OK()
		decided := P{}
		for name, one := range buyer.Do("FEATURE.EVALUATE", P{"product_id": "table"}).OK().Data["features"].(P) {
			decided[name] = one.(P)["value"]
		}
		for what, got := range map[string]any{
			"activation": activated.Data["license"].(P)["features"], "validation": validated.Data["license"].(P)["features"],
			"the file of a validation": claims(t, h, validated.String("offline_file"))["features"],
			"the file":                 claims(t, h, carried.String("offline_file"))["features"], "its owner": decided,
		} {
			if fmt.Sprint(got) != want {
				t.Errorf("by %s it gives %v, want %s", what, got, want)
			}
		}
		for asked, want := range map[string]string{"pdf": "valid", "own": "valid", "seats.max": "valid", "cad": "feature_missing", "else": "feature_missing"} {
			if got := validate(h, key, P{"features": []string{asked}}); got != want {
				t.Errorf("for %s it is %s, want %s", asked, got, want)
			}
		}
		// Its terms stay its own for who changes them.
		if own := ada.Do("LICENSE.GET", P{"license_id": id}).OK().Data["license"].(P)["features"].(P); len(own) != 3 || own["pdf"] != nil {
			t.Errorf("its own terms give %v", own)
		}
	})
}

// A suspended workspace keeps nobody from what anybody may do by a key, and everybody from
// what it owns.
func TestLicensesOfTheSuspended(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer, root := vendor(h), h.SignUp("buyer@example.com"), h.Superadmin()
		org := buyer.Do("TEAM.CREATE", P{"name": "Builders", "slug": "builders"}).OK().String("organization.id")
		there := h.With(buyer.Do("TEAM.SWITCH", P{"org_id": org}).OK().String("access_token"))
		id, key := issue(ada, P{"owner_org_id": org, "max_machines": 2, "offline_days": 3})
		machine := h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "m"}).OK().String("machine.id")
		root.Do("TEAM.DISABLE", P{"org_id": org}).OK()
		byID := func(answer *harness.Reply) {
			t.Helper()
			if got := answer.Fails(fault.Denied).Failure.Message; got != "the workspace is suspended" {
				t.Errorf("refused by %q", got)
			}
		}
		byID(there.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": machine}))
		byID(there.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": id, "machine": "m"}))
		byID(there.Do("LICENSE.TRANSFER", P{"license_id": id, "from_machine": "m", "to_machine": "n"}))
		for _, by := range []*harness.Actor{there, h.Anonymous()} {
			if got := by.Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key, "machine": "m"}).OK(); got.Data["deactivated"] != true {
				t.Errorf("by its key it frees %v", got.Data)
			}
			h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "m"}).OK()
		}
		for _, by := range []*harness.Actor{there, h.Anonymous()} {
			if got := by.Do("LICENSE.OFFLINE_CHECKOUT", P{"key": key, "machine": "m"}).OK().String("code"); got != "valid" {
				t.Errorf("by its key it has no file: %s", got)
			}
		}
	})
}

// Nothing ends a file but its own end: neither a revocation, nor a transfer, nor the end of
// the license, which no file outlives. The next file of the license tells of the machine that
// was left.
func TestFilesOutliveLicenses(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := vendor(h)
		terms := policy(ada, P{"offline_days": 10, "duration_days": 5, "max_machines": 1, "machine_bound": true})
		files, ids := map[string]string{}, map[string]string{}
		for _, what := range []string{"revoked", "suspended", "transferred", "expired"} {
			id, key := issue(ada, P{"policy_id": terms})
			ids[what] = id
			files[what] = h.Anonymous().Do("LICENSE.OFFLINE_CHECKOUT", P{"key": key, "machine": what}).OK().String("offline_file")
		}
		ada.Do("LICENSE.REVOKE", P{"license_id": ids["revoked"]}).OK()
		ada.Do("LICENSE.SUSPEND", P{"license_id": ids["suspended"]}).OK()
		ada.Do("LICENSE.TRANSFER", P{"license_id": ids["transferred"], "from_machine": "transferred", "to_machine": "new"}).OK()
		next := claims(t, h, ada.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": ids["transferred"], "machine": "new"}).OK().String("offline_file"))
		end := float64(h.Clock.Now().Add(5 * 24 * time.Hour).Unix())
		if left := next["not_before"].([]any)[0].(map[string]any); left["machine"] != "transferred" || left["exp"] != end {
			t.Errorf("the next file names %v, want the machine until %v", left, end)
		}
		h.Clock.Advance(4 * 24 * time.Hour)
		for what, file := range files {
			if said := claims(t, h, file); said["exp"] != end || said["machine"] != what {
				t.Errorf("the file of the license that was %s says %v", what, said)
			}
		}
		h.Clock.Advance(2 * 24 * time.Hour)
		ada = h.Login("ada@example.com", harness.Password)
		if got := ada.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": ids["expired"], "machine": "expired"}).OK(); got.String("code") != "expired" || got.Has("offline_file") {
			t.Errorf("a license that expired has a file: %v", got.Data)
		}
	})
}

// A file is good for its own product, whoever asks: that of another one is by the same key,
// and told by aud alone.
func TestFilesOfOtherProducts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := vendor(h), h.SignUp("eve@example.com")
		eve.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": "chair"}).OK()
		_, key := issue(ada, P{"offline_days": 3})
		foreign := eve.Do("LICENSE.ISSUE", P{"product_id": "chair", "offline_days": 3}).OK().String("key")
		products := map[string]bool{}
		for _, one := range []string{key, foreign} {
			file := h.Anonymous().Do("LICENSE.VALIDATE", P{"key": one, "machine": "m"}).OK().String("offline_file")
			if _, err := jose.VerifyFile(file, "license+jwt", jwks(t, h)); err != nil {
				t.Errorf("VerifyFile() = %v", err)
			}
			products[claims(t, h, file)["aud"].(string)] = true
		}
		if len(products) != 2 {
			t.Errorf("the files are for %v", maps.Keys(products))
		}
		table := ada.Do("PRODUCT.GET", P{"product_id": "table"}).OK().String("product.id")
		for _, ref := range []string{"table", table} {
			if got := validate(h, foreign, P{"product_id": ref, "machine": "m"}); got != "product_mismatch" {
				t.Errorf("a key of another product is %s", got)
			}
		}
	})
}

// Wherever a product is asked for, its slug serves.
func TestSlugsServe(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := vendor(h)
		id := ada.Do("PRODUCT.GET", P{"product_id": "table"}).OK().String("product.id")
		_, key := issue(ada, P{"user_id": ada.UserID})
		for command, params := range map[string]P{
			"PRODUCT.GET": {}, "PRODUCT.UPDATE": {"name": "Table"}, "LICENSE.ISSUE": {}, "LICENSE.LIST": {}, "LICENSE.VALIDATE": {"key": key},
			"LICENSE.POLICY_CREATE": {"name": "Terms"}, "LICENSE.POLICY_LIST": {}, "FEATURE.EVALUATE": {},
			"BILLING.PRICE_LIST": {},
		} {
			for _, ref := range []string{"table", id} {
				asked := maps.Clone(params)
				asked["product_id"] = ref
				ada.Do(command, asked).OK()
			}
		}
	})
}

// A heartbeat is noted with those that come at the same time, on two replicas, and takes
// nothing from anybody: of machines that lapsed, one takes the place that is free.
func TestHeartbeatsTogether(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := vendor(here)
		id, key := issue(ada, P{"policy_id": policy(ada, P{"heartbeat_minutes": 10, "max_machines": 50, "machine_bound": true})})
		on := []*harness.Service{here, there}
		call := func(command string) map[string]int {
			codes := map[string]int{}
			for _, one := range harness.Together(100, func(i int) *harness.Reply {
				return on[i%2].Anonymous().Do("LICENSE."+command, P{"key": key, "machine": fmt.Sprint("m", i/2)})
			}) {
				codes[one.OK().String("code")]++
			}
			return codes
		}
		for _, command := range []string{"MACHINE_ACTIVATE", "MACHINE_HEARTBEAT"} {
			if got := call(command); got["valid"] != 100 {
				t.Fatalf("%s: %v", command, got)
			}
		}
		ada.Do("LICENSE.UPDATE", P{"license_id": id, "max_machines": 1}).OK()
		for _, one := range on {
			one.Clock.Advance(11 * time.Minute)
		}
		if got := call("MACHINE_HEARTBEAT"); got["valid"] != 2 || got["too_many_machines"] != 98 {
			t.Errorf("of machines that lapsed: %v", got)
		}
		if n := len(here.Events("machine.activated")); n != 51 {
			t.Errorf("%d activations are told, want 50 and the one that came back", n)
		}
	})
}

// The clocks of replicas differ by seconds. A place that has ended by the clock of one, which
// gave it to another machine, is not kept by who asks the other replica, whose clock is behind.
func TestPlacesByClocksThatDiffer(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, behind, ahead *harness.Service) {
		ada := vendor(behind)
		_, bound := issue(ada, P{"policy_id": policy(ada, P{"heartbeat_minutes": 10, "max_machines": 1, "machine_bound": true})})
		_, floating := issue(ada, P{"policy_id": policy(ada, P{"floating": true, "seats": 1})})
		call := func(on *harness.Service, command, machine string) string {
			key := bound
			if strings.HasPrefix(command, "LEASE") {
				key = floating
			}
			return on.Anonymous().Do("LICENSE."+command, P{"key": key, "machine": machine}).OK().String("code")
		}
		call(behind, "MACHINE_ACTIVATE", "first")
		call(behind, "LEASE_ACQUIRE", "first")
		behind.Clock.Advance(10*time.Minute - time.Second)
		ahead.Clock.Advance(10*time.Minute + time.Second)
		for _, step := range []struct {
			on                     *harness.Service
			command, machine, code string
		}{
			{ahead, "MACHINE_ACTIVATE", "second", "valid"},
			{behind, "MACHINE_HEARTBEAT", "first", "too_many_machines"},
			{behind, "MACHINE_ACTIVATE", "first", "too_many_machines"},
			{behind, "MACHINE_HEARTBEAT", "second", "valid"},
		} {
			if got := call(step.on, step.command, step.machine); got != step.code {
				t.Errorf("%s of the %s: %s, want %s", step.command, step.machine, got, step.code)
			}
		}
		behind.Clock.Advance(50 * time.Minute)
		ahead.Clock.Advance(50 * time.Minute)
		for _, step := range []struct {
			on            *harness.Service
			machine, code string
		}{{ahead, "second", "valid"}, {behind, "first", "no_seats"}, {behind, "second", "valid"}} {
			if got := call(step.on, "LEASE_ACQUIRE", step.machine); got != step.code {
				t.Errorf("LEASE_ACQUIRE of the %s: %s, want %s", step.machine, got, step.code)
			}
		}
	})
}
