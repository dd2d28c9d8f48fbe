package operations_test

import (
	"encoding/json"
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for name, c := range map[string]struct {
		command string
		params  any
		wrong   []string
	}{
		"fits":                 {"AUTH.CHECK_PASSWORD", harness.P{"password": "x"}, nil},
		"no parameters":        {"AUTH.WHOAMI", nil, nil},
		"missing":              {"AUTH.CHECK_PASSWORD", nil, []string{"/password"}},
		"unknown":              {"AUTH.WHOAMI", harness.P{"verbose": true}, []string{"/verbose"}},
		"wrong type":           {"ROLE.LIST", harness.P{"org_id": 1}, []string{"/org_id"}},
		"wrong form":           {"ROLE.LIST", harness.P{"org_id": "x"}, []string{"/org_id"}},
		"a value object's own": {"AUTH.CHECK_PASSWORD", harness.P{"password": "x", "email": "nobody"}, []string{"/email"}},
		"two at once":          {"PERMISSION.CHECK", harness.P{"verbose": true}, []string{"/action", "/resource", "/verbose"}},
		"a large number":       {"REGISTRY.SEARCH", harness.P{"limit": json.RawMessage("18446744073709551617")}, []string{"/limit"}},
	} {
		params := harness.P{"command": c.command}
		if c.params != nil {
			params["params"] = c.params
		}
		got := h.Anonymous().Do("REGISTRY.VALIDATE", params).OK()
		var wrong []string
		for _, field := range got.List("fields") {
			wrong = append(wrong, field["path"].(string))
			if field["message"] == "" {
				t.Errorf("%s: no message", name)
			}
		}
		if got.Bool("valid") != (len(c.wrong) == 0) || !slices.Equal(wrong, c.wrong) {
			t.Errorf("%s: %v, want complaints about %v", name, got.Data, c.wrong)
		}
	}
}

// TestExamplesAreValid has every published example checked by the service itself.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for _, d := range h.Engine.Catalog() {
		var example harness.P
		if err := json.Unmarshal(d.Example, &example); err != nil {
			t.Fatal(err)
		}
		if got := h.Anonymous().Do("REGISTRY.VALIDATE", example).OK(); !got.Bool("valid") || example["command"] != d.Name {
			t.Errorf("%s: %v in %s", d.Name, got.Data["fields"], d.Example)
		}
	}
}

func TestValidateRunsNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("REGISTRY.VALIDATE", harness.P{"command": "AUTH.LOGOUT"}).OK()
	if n := len(h.Events("session.revoked")); n > 0 {
		t.Errorf("%d sessions were ended", n)
	}
}

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Anonymous().Do("REGISTRY.VALIDATE", harness.P{"command": "NO.SUCH"}).Fails(fault.NotFound)
}

func TestErrorList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	items := h.Anonymous().Do("REGISTRY.ERROR_LIST", nil).OK().List("items")
	retry := map[string]string{
		"AUTH_ERROR": "after_login", "TOKEN_EXPIRED": "after_refresh", "TOKEN_INVALID": "after_login",
		"RATE_LIMITED": "after_wait", "INTERNAL_ERROR": "with_backoff",
	}
	var codes []fault.Code
	for _, item := range items {
		code := fault.Code(item["code"].(string))
		codes = append(codes, code)
		if item["http_status"] != float64(inbound.Status(code)) || item["meaning"] == "" {
			t.Errorf("%v", item)
		}
		if want, again := retry[string(code)]; (again && item["retry"] != want) || (!again && item["retry"] != "never") {
			t.Errorf("%s: retry %v", code, item["retry"])
		}
	}
	if !slices.Equal(codes, fault.Codes()) {
		t.Errorf("codes %v", codes)
	}
}
