package commerce_test

import (
	"fmt"
	"testing"
	"time"

	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// has is what an evaluation says of a feature: value and source.
func has(t *testing.T, by *harness.Actor, key string, params P) string {
	t.Helper()
	all := by.Do("FEATURE.EVALUATE", params).OK().Data["features"].(P)
	one, there := all[key].(P)
	if !there {
		return "nothing"
	}
	return fmt.Sprint(one["value"], " by ", one["source"])
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestWhatDecides(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer := h.SignUp("ada@example.com"), h.SignUp("buyer@example.com")
		ada.Do("FEATURE.CREATE", P{"key": "seats.max", "type": "int", "default": 1, "rules": []P{{"when": "attributes.plan == 'pro'", "value": 3}}}).OK()
		ada.Do("FEATURE.CREATE", P{"key": "internal", "type": "bool", "default": true}).OK()
		ada.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table", "features": P{"seats.max": 5, "tier": "basic", "internal": "text"}}).OK()

		plain, pro := P{"product_id": "table"}, P{"product_id": "table", "attributes": P{"plan": "pro"}, "keys": []string{"seats.max", "no.such"}}
		want(t, "the default", has(t, ada, "seats.max", plain), "1 by default")
		want(t, "a rule", has(t, ada, "seats.max", pro), "3 by rule")
		want(t, "a key that there is not", has(t, ada, "no.such", pro), "nothing")
		buyer.Do("FEATURE.EVALUATE", plain).Fails(fault.NotFound)

		ada.Do("LICENSE.ISSUE", P{"product_id": "table", "user_id": buyer.UserID}).OK()
		want(t, "the product", has(t, buyer, "seats.max", pro), "5 by license")
		want(t, "a feature that was never defined", has(t, buyer, "tier", plain), "basic by license")
		want(t, "a value of another type", has(t, buyer, "internal", plain), "true by default")
		second := ada.Do("LICENSE.ISSUE", P{"product_id": "table", "owner_org_id": buyer.OrgID, "features": P{"seats.max": 9}}).OK()
		want(t, "the most of two licenses", has(t, buyer, "seats.max", plain), "9 by license")
		ada.Do("LICENSE.SUSPEND", P{"license_id": second.String("license.id")}).OK()
		want(t, "one that is suspended", has(t, buyer, "seats.max", plain), "5 by license")
		want(t, "the seller's question", has(t, ada, "seats.max", P{"user_id": buyer.UserID}), "5 by license")
		want(t, "another person", has(t, ada, "seats.max", nil), "1 by default")

		h.Clock.Advance(time.Second)
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "seats.max", "org_id": buyer.OrgID, "value": 20}).OK()
		want(t, "an override of the workspace", has(t, buyer, "seats.max", plain), "20 by override")
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "seats.max", "user_id": buyer.UserID, "value": 30, "expires_at": h.Clock.Now().Add(time.Hour)}).OK()
		want(t, "an override of the person", has(t, buyer, "seats.max", plain), "30 by override")
		ada.Do("FEATURE.UPDATE", P{"key": "seats.max", "enabled": false}).OK()
		want(t, "switched off", has(t, buyer, "seats.max", P{"product_id": "table", "keys": []string{"seats.max"}}), "1 by default")
		ada.Do("FEATURE.UPDATE", P{"key": "seats.max", "enabled": true, "default": 2}).OK()
		h.Clock.Advance(2 * time.Hour)
		buyer, ada = h.Login("buyer@example.com", harness.Password), h.Login("ada@example.com", harness.Password)
		want(t, "the override that expired", has(t, buyer, "seats.max", plain), "20 by override")
		ada.Do("FEATURE.OVERRIDE_DELETE", P{"key": "seats.max", "org_id": buyer.OrgID}).OK()
		ada.Do("FEATURE.OVERRIDE_DELETE", P{"key": "seats.max", "user_id": buyer.UserID}).Fails(fault.NotFound)
		want(t, "no override any more", has(t, buyer, "seats.max", plain), "5 by license")
		want(t, "the new default", has(t, ada, "seats.max", nil), "2 by default")

		upkeep := opsstore.Upkeep(h.Store)
		if n, err := upkeep.Purge(t.Context(), ops.PurgeOverrides, h.Clock.Now()); err != nil || n != 1 {
			t.Errorf("purged %d overrides, %v, want 1", n, err)
		}
		ada.Do("FEATURE.DELETE", P{"key": "seats.max"}).OK()
		want(t, "what a license says of a deleted feature", has(t, buyer, "seats.max", plain), "5 by license")
		want(t, "a deleted feature", has(t, ada, "seats.max", nil), "nothing")
	})
}

// Buyers learn what they own, and what they ask for by name; nobody asks for others
// without the permission, and strangers learn nothing of the product.
func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer, stranger := h.SignUp("ada@example.com"), h.SignUp("buyer@example.com"), h.SignUp("stranger@example.com")
		ada.Do("FEATURE.CREATE", P{"key": "secret.plan", "type": "bool", "default": true}).OK()
		ada.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table", "features": P{"pdf": true}}).OK()
		ada.Do("LICENSE.ISSUE", P{"product_id": "table", "user_id": buyer.UserID}).OK()
		plain := P{"product_id": "table"}
		want(t, "what the buyer owns", has(t, buyer, "pdf", plain), "true by license")
		want(t, "what the buyer does not", has(t, buyer, "secret.plan", plain), "nothing")
		want(t, "what the buyer asks for", has(t, buyer, "secret.plan", P{"product_id": "table", "keys": []string{"secret.plan"}}), "true by default")

		buyer.Do("FEATURE.EVALUATE", P{"product_id": "table", "user_id": ada.UserID}).Fails(fault.NotFound)
		machine := stranger.Machine("reader", "users:read")
		for _, params := range []P{
			{"user_id": ada.UserID}, {"org_id": ada.OrgID}, {"attributes": P{"targetingKey": ada.UserID}}, {"attributes": P{"targetingKey": ada.OrgID}},
		} {
			machine.Do("FEATURE.EVALUATE", params).Fails(fault.Denied)
		}
		want(t, "an app", has(t, ada.Machine("server", "features:read"), "pdf", P{"attributes": P{"targetingKey": buyer.UserID}}), "true by license")
		want(t, "oneself by id", has(t, buyer, "pdf", P{"product_id": "table", "user_id": buyer.UserID}), "true by license")

		refused := stranger.Do("FEATURE.EVALUATE", plain).Fails(fault.NotFound).Failure.Message
		if got := stranger.Do("FEATURE.EVALUATE", P{"product_id": "nowhere"}).Fails(fault.NotFound).Failure.Message; got != refused {
			t.Errorf("a product of others is %q, none is %q", refused, got)
		}
		ada.Do("PRODUCT.UPDATE", P{"product_id": "table", "public": true}).OK()
		if all := stranger.Do("FEATURE.EVALUATE", plain).OK().Data["features"].(P); len(all) != 0 {
			t.Errorf("a stranger has %v", all)
		}
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		for key, rules := range map[string][]P{
			"by.address":  {{"when": "user.email.endsWith('@example.com')", "value": true}},
			"by.role":     {{"when": "'owner' in user.roles", "value": true}},
			"by.org":      {{"when": "org != null && org.id == '" + ada.OrgID + "'", "value": true}},
			"by.number":   {{"when": "attributes.age >= 18", "value": true}},
			"by.error":    {{"when": "1 / 0 == 1", "value": false}, {"value": true}},
			"by.share":    {{"rollout": P{"percent": 100}}},
			"by.no.share": {{"rollout": P{"percent": 0}}},
			"by.orgs":     {{"rollout": P{"percent": 99.999, "by": "org"}}},
			"by.all.orgs": {{"rollout": P{"percent": 100, "by": "org"}}},
		} {
			ada.Do("FEATURE.CREATE", P{"key": key, "type": "bool", "default": false, "rules": rules}).OK()
		}
		visitor := P{"attributes": P{"targetingKey": "visitor-1", "age": 18}}
		for key, wanted := range map[string][2]string{
			"by.address": {"true by rule", "false by default"}, "by.role": {"true by rule", "false by default"}, "by.org": {"true by rule", "false by default"},
			"by.number": {"false by default", "true by rule"}, "by.error": {"true by rule", "true by rule"}, "by.share": {"true by rule", "true by rule"},
			"by.no.share": {"false by default", "false by default"}, "by.orgs": {"true by rule", "false by default"}, "by.all.orgs": {"true by rule", "true by rule"},
		} {
			want(t, key+" for a member", has(t, ada, key, nil), wanted[0])
			want(t, key+" for a visitor", has(t, ada, key, visitor), wanted[1])
		}
		nobody := P{"attributes": P{"targetingKey": ""}}
		for key, wanted := range map[string]string{
			"by.share": "true by rule", "by.all.orgs": "true by rule", "by.no.share": "false by default", "by.orgs": "false by default",
		} {
			want(t, key+" for nobody", has(t, ada, key, nobody), wanted)
		}
		for path, params := range map[string]P{
			"/key":                     {"key": "Upper"},
			"/default":                 {"default": 1},
			"/rules/0":                 {"rules": []P{{"when": "true"}}},
			"/rules/0/value":           {"rules": []P{{"value": "text"}}},
			"/rules/1/when":            {"rules": []P{{"value": true}, {"when": "user.emial == ''", "value": true}}},
			"/rules/0/when":            {"rules": []P{{"when": "'text'", "value": true}}},
			"/rules/0/rollout/percent": {"rules": []P{{"rollout": P{"percent": 101}}}},
		} {
			call := P{"key": "wrong", "type": "bool", "default": false}
			for name, value := range params {
				call[name] = value
			}
			ada.Do("FEATURE.CREATE", call).Fails(fault.Validation).Field(path)
		}
		ada.Do("FEATURE.CREATE", P{"key": "text", "type": "string", "default": "", "rules": []P{{"rollout": P{"percent": 5}}}}).Fails(fault.Validation).Field("/rules/0/value")
		ada.Do("FEATURE.CREATE", P{"key": "by.role", "type": "bool", "default": false}).Fails(fault.Validation).Field("/key")
		ada.Do("FEATURE.UPDATE", P{"key": "by.role", "rules": []P{}}).OK()
		ada.Do("FEATURE.UPDATE", P{"key": "by.role", "rules": []P{}}).OK()
		want(t, "without rules", has(t, ada, "by.role", nil), "false by default")
		if n := len(h.Events("feature.updated")); n != 1 {
			t.Errorf("%d changes are told, want 1", n)
		}
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "by.role", "user_id": ada.UserID, "value": 1}).Fails(fault.Validation).Field("/value")
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "by.role", "value": true}).Fails(fault.Validation)
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "by.role", "user_id": ada.UserID, "org_id": ada.OrgID, "value": true}).Fails(fault.Validation)
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "by.role", "user_id": ada.UserID, "value": true, "expires_at": h.Clock.Now()}).Fails(fault.Validation).Field("/expires_at")
	})
}

func TestLists(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
		for _, key := range []string{"b.two", "a", "b.one"} {
			ada.Do("FEATURE.CREATE", P{"key": key, "type": "bool", "default": false}).OK()
			ada.Do("FEATURE.OVERRIDE_SET", P{"key": key, "user_id": bob.UserID, "value": true}).OK()
			ada.Do("FEATURE.OVERRIDE_SET", P{"key": key, "org_id": bob.OrgID, "value": true}).OK()
		}
		keys := func(command string, params P) (all []any) {
			for cursor := any(nil); ; {
				if cursor != nil {
					params["cursor"] = cursor
				}
				got := ada.Do(command, params).OK()
				for _, one := range got.List("items") {
					all = append(all, one["key"])
				}
				if cursor = got.Data["next_cursor"]; cursor == nil {
					return all
				}
			}
		}
		want(t, "features", fmt.Sprint(keys("FEATURE.LIST", P{"limit": 2})), "[a b.one b.two]")
		want(t, "features that begin so", fmt.Sprint(keys("FEATURE.LIST", P{"query": "b."})), "[b.one b.two]")
		want(t, "overrides", fmt.Sprint(keys("FEATURE.OVERRIDE_LIST", P{"limit": 4})), "[a a b.one b.one b.two b.two]")
		want(t, "overrides of a person", fmt.Sprint(keys("FEATURE.OVERRIDE_LIST", P{"user_id": bob.UserID, "limit": 1})), "[a b.one b.two]")
		want(t, "overrides of a feature", fmt.Sprint(keys("FEATURE.OVERRIDE_LIST", P{"key": "a", "limit": 1})), "[a a]")
		if items := bob.Do("FEATURE.LIST", nil).OK().List("items"); len(items) != 0 {
			t.Errorf("another workspace lists %v", items)
		}
		ada.Do("FEATURE.DELETE", P{"key": "a"}).OK()
		want(t, "overrides after the deletion", fmt.Sprint(keys("FEATURE.OVERRIDE_LIST", P{})), "[b.one b.one b.two b.two]")
		bob.Do("USER.DELETE", P{"user_id": bob.UserID, "password": harness.Password}).OK()
		want(t, "overrides of who is gone, with their workspace", fmt.Sprint(keys("FEATURE.OVERRIDE_LIST", P{})), "[]")
	})
}

// A change on one replica decides on the other at once.
func TestTwoReplicas(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		one, other := harness.On(t, database), harness.On(t, database)
		ada := one.SignUp("ada@example.com")
		there := other.Login("ada@example.com", harness.Password)
		ada.Do("FEATURE.CREATE", P{"key": "new", "type": "int", "default": 0}).OK()
		for i := range 3 {
			want(t, "there", has(t, there, "new", nil), fmt.Sprint(i, " by default"))
			ada.Do("FEATURE.UPDATE", P{"key": "new", "default": i + 1}).OK()
		}
	})
}
