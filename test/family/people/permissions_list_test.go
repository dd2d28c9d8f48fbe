package people_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/test/harness"
)

func TestListIsTheMatrix(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	opened, callers := map[string][]any{}, map[string]map[string]bool{}
	for _, d := range h.Engine.Catalog() {
		if of, name, gated := strings.Cut(d.Access, ":"); gated && (of == "permission" || of == "client") {
			opened[name] = append(opened[name], d.Name)
			for _, kind := range d.Callers {
				if callers[name] == nil {
					callers[name] = map[string]bool{}
				}
				callers[name][kind] = true
			}
		}
	}
	var names []string
	for _, item := range h.SignUp("alice@example.com").Do("PERMISSION.LIST", nil).OK().List("items") {
		name := item["permission"].(string)
		names = append(names, name)
		if item["builtin"] != true || item["description"] == "" {
			t.Errorf("%v", item)
		}
		if !slices.Equal(item["commands"].([]any), opened[name]) {
			t.Errorf("%s opens %v, want %v", name, item["commands"], opened[name])
		}
		for _, kind := range item["callers"].([]any) {
			if !callers[name][kind.(string)] {
				t.Errorf("%s takes %v, want %v", name, item["callers"], callers[name])
			}
			delete(callers[name], kind.(string))
		}
		if len(callers[name]) > 0 {
			t.Errorf("%s takes %v as well", name, callers[name])
		}
		delete(opened, name)
	}
	if len(names) != len(access.Catalog()) || !slices.IsSorted(names) {
		t.Errorf("%d permissions, sorted %t", len(names), slices.IsSorted(names))
	}
	if len(opened) > 0 {
		t.Errorf("commands ask for permissions that are not in the catalog: %v", opened)
	}
}

func TestListByResource(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	var names []any
	for _, item := range alice.Do("PERMISSION.LIST", harness.P{"resource": "users"}).OK().List("items") {
		names = append(names, item["permission"])
	}
	if !slices.Equal(names, []any{"users:impersonate", "users:manage", "users:read"}) {
		t.Errorf("permissions on users: %v", names)
	}
	if found := alice.Do("PERMISSION.LIST", harness.P{"resource": "user"}).OK().List("items"); len(found) > 0 {
		t.Errorf("permissions on user: %v", found)
	}
}
