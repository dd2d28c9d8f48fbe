package operations_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// registryNames are the commands that a search answers, over all pages.
func registryNames(t *testing.T, who *harness.Actor, params harness.P) []string {
	t.Helper()
	all := []string{}
	whole := harness.P{"limit": 200}
	for name, value := range params {
		whole[name] = value
	}
	for {
		page := who.Do("REGISTRY.SEARCH", whole).OK()
		for _, item := range page.List("items") {
			all = append(all, item["command"].(string))
		}
		cursor, more := page.Data["next_cursor"].(string)
		if !more {
			return all
		}
		whole["cursor"] = cursor
	}
}

// those are the names in the catalog that fit.
func those(h *harness.Service, fit func(inbound.Descriptor) bool) []string {
	fitting := []string{}
	for _, d := range h.Engine.Catalog() {
		if fit(d) {
			fitting = append(fitting, d.Name)
		}
	}
	return fitting
}

func TestSearchNarrows(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for name, c := range map[string]struct {
		params harness.P
		fit    func(inbound.Descriptor) bool
	}{
		"everything":     {nil, func(inbound.Descriptor) bool { return true }},
		"family":         {harness.P{"family": "AUTH"}, func(d inbound.Descriptor) bool { return d.Family == "AUTH" }},
		"unknown family": {harness.P{"family": "auth"}, func(inbound.Descriptor) bool { return false }},
		"public":         {harness.P{"access": "public"}, func(d inbound.Descriptor) bool { return d.Access == "public" }},
		"superadmin":     {harness.P{"access": "superadmin"}, func(d inbound.Descriptor) bool { return d.Access == "superadmin" }},
		"any permission": {harness.P{"access": "permission"}, func(d inbound.Descriptor) bool { return strings.HasPrefix(d.Access, "permission:") }},
		"one permission": {harness.P{"access": "permission:users:manage"}, func(d inbound.Descriptor) bool { return d.Access == "permission:users:manage" }},
		"word":           {harness.P{"query": "HEALTH"}, func(d inbound.Descriptor) bool { return d.Name == "SYSTEM.HEALTH_GET" }},
		"words":          {harness.P{"query": "kind auth"}, func(d inbound.Descriptor) bool { return false }},
		"family and access": {harness.P{"family": "SYSTEM", "access": "public"}, func(d inbound.Descriptor) bool {
			return d.Family == "SYSTEM" && d.Access == "public"
		}},
	} {
		if got, want := registryNames(t, h.Anonymous(), c.params), those(h, c.fit); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func forApps(d inbound.Descriptor) bool { return strings.HasPrefix(d.Access, "client:") }

func TestSearchForWhatMayBeCalled(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	callable := harness.P{"callable": true}
	public := those(h, func(d inbound.Descriptor) bool { return d.Access == "public" })
	if got := registryNames(t, h.Anonymous(), callable); !slices.Equal(got, public) {
		t.Errorf("anybody may call %v, want %v", got, public)
	}
	owners := those(h, func(d inbound.Descriptor) bool {
		return d.Access != "superadmin" && d.Access != "permission:users:manage" && d.Access != "permission:sessions:manage" && d.Access != "permission:users:impersonate" && !forApps(d)
	})
	if got := registryNames(t, alice, callable); !slices.Equal(got, owners) {
		t.Errorf("an owner may call %v, want %v", got, owners)
	}
	people := those(h, func(d inbound.Descriptor) bool { return !forApps(d) })
	if got, all := registryNames(t, root, callable), people; !slices.Equal(got, all) {
		t.Errorf("a superadmin may call %v, want %v", got, all)
	}
	if got, all := registryNames(t, alice, harness.P{"callable": false}), registryNames(t, root, nil); !slices.Equal(got, all) {
		t.Errorf("not narrowed: %v, want %v", got, all)
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	whole := those(h, func(inbound.Descriptor) bool { return true })
	for _, limit := range []int{1, 3, len(whole) / 2, 200} {
		if got := registryNames(t, h.Anonymous(), harness.P{"limit": limit}); !slices.Equal(got, whole) {
			t.Errorf("pages of %d: %v", limit, got)
		}
	}
}

func TestSearchItems(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	writes := map[string]string{"none": "no", "store": "yes", "outside": "outside"}
	described := map[string]inbound.Descriptor{}
	for _, d := range h.Engine.Catalog() {
		described[d.Name] = d
	}
	for _, item := range h.Anonymous().Do("REGISTRY.SEARCH", harness.P{"limit": 200}).OK().List("items") {
		d := described[item["command"].(string)]
		if item["summary"] != d.Summary || item["access"] != d.Access || item["writes"] != writes[d.Effect] {
			t.Errorf("%v, described as %+v", item, d)
		}
	}
}

func TestSearchRefusesWrongCredentials(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("AUTH.LOGOUT", nil).OK()
	alice.Do("REGISTRY.SEARCH", nil).Fails(fault.Auth)
	h.With("nonsense").Do("REGISTRY.SEARCH", nil).Fails(fault.TokenInvalid)
}
