package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// pages reads a whole list.
func pages(by *harness.Actor, command string, params P) []string {
	var all []string
	for {
		page := by.Do(command, params).OK()
		for _, one := range page.Data["items"].([]any) {
			all = append(all, one.(string))
		}
		if page.Data["next_cursor"] == nil {
			return all
		}
		params["cursor"] = page.String("next_cursor")
	}
}

// Lists are whole and in order, in pages of any size, also where groups lead to groups
// and folders to folders, and where some are taken away again.
func TestListsAreWhole(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		var want, open []string
		for part := range 3 {
			var texts []string
			for n := range 40 {
				name := fmt.Sprintf("document:%d-%02d", part, n)
				texts = append(texts, []string{
					name + "#viewer@user:x", name + "#viewer@team:a#member", name + "#folder@folder:deep",
				}[part])
				if want = append(want, name); n%3 == 0 {
					texts = append(texts, name+"#blocked@user:x")
				} else {
					open = append(open, name)
				}
			}
			write(ada, texts...).OK()
		}
		write(ada, "team:a#member@team:b#member", "team:b#member@user:x", "team:b#member@team:a#member",
			"folder:deep#parent@folder:mid", "folder:mid#parent@folder:top", "folder:top#viewer@team:a#member",
			"folder:top#parent@folder:deep", "document:other#viewer@user:y", "document:all#viewer@user:*").OK()
		want, open = append(want, "document:all"), append(open, "document:all")
		for _, size := range []int{1, 7, 200} {
			of := func(relation, kind string) P {
				return P{"subject": "user:x", "relation": relation, "type": kind, "limit": size}
			}
			if diff := cmp.Diff(want, pages(ada, "RELATION.OBJECT_LIST", of("viewer", "document"))); diff != "" {
				t.Errorf("pages of %d (-want +got):\n%s", size, diff)
			}
			if diff := cmp.Diff(open, pages(ada, "RELATION.OBJECT_LIST", of("reader", "document"))); diff != "" {
				t.Errorf("pages of %d, less the blocked (-want +got):\n%s", size, diff)
			}
			folders := pages(ada, "RELATION.OBJECT_LIST", of("viewer", "folder"))
			if !slices.Equal(folders, []string{"folder:deep", "folder:mid", "folder:top"}) {
				t.Errorf("folders %q", folders)
			}
			subjects := func(object, kind string) []string {
				params := P{"object": object, "relation": "reader", "limit": size}
				if kind != "" {
					params["type"] = kind
				}
				return pages(ada, "RELATION.SUBJECT_LIST", params)
			}
			for object, want := range map[string][]string{
				"document:1-01": {"user:x"}, "document:1-03": nil, "document:all": {"user:*"}, "document:2-02": {"user:x"},
			} {
				if got := subjects(object, "user"); !slices.Equal(got, want) {
					t.Errorf("readers of %s: %q, want %q", object, got, want)
				}
			}
			if got := subjects("document:1-01", "team#member"); !slices.Equal(got, []string{"team:a#member", "team:b#member"}) {
				t.Errorf("teams that read: %q", got)
			}
		}
		ada.Do("RELATION.OBJECT_LIST", P{"subject": "user:x", "relation": "viewer", "type": "robot"}).Fails(fault.Validation)
		ada.Do("RELATION.SUBJECT_LIST", P{"object": "document:1", "relation": "viewer", "type": "robot"}).Fails(fault.Validation).Field("/type")
		page := ada.Do("RELATION.OBJECT_LIST", P{"subject": "user:x", "relation": "viewer", "type": "document", "limit": 1})
		ada.Do("RELATION.OBJECT_LIST", P{"subject": "user:y", "relation": "viewer", "type": "document", "cursor": page.String("next_cursor")}).
			Fails(fault.Validation).Field("/cursor")
	})
}

func TestExpand(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	publish(ada, model).OK()
	write(ada, "document:1#viewer@user:x", "document:1#viewer@team:a#member", "document:1#blocked@user:y", "team:a#member@user:z").OK()
	node := func(kind string, subjects []any, nodes ...any) P {
		return P{"kind": kind, "subjects": append([]any{}, subjects...), "nodes": append([]any{}, nodes...), "more": false}
	}
	named := func(name string, of P) P { of["name"] = name; return of }
	from := node("from", nil)
	from["tupleset"] = "folder"
	expand := func(depth int) any {
		return ada.Do("RELATION.EXPAND", P{"object": "document:1", "relation": "reader", "depth": depth}).OK().Data["tree"]
	}
	shallow := named("document:1#reader", node("difference", nil,
		node("computed", []any{"document:1#viewer"}), node("computed", []any{"document:1#blocked"})))
	if diff := cmp.Diff(shallow, expand(1)); diff != "" {
		t.Errorf("one deep (-want +got):\n%s", diff)
	}
	members := named("team:a#member", node("direct", []any{"user:z"}))
	viewers := named("document:1#viewer", node("union", nil,
		node("direct", []any{"user:x", "team:a#member"}, members),
		node("computed", []any{"document:1#owner"}, named("document:1#owner", node("direct", nil))), from))
	deep := named("document:1#reader", node("difference", nil,
		node("computed", []any{"document:1#viewer"}, viewers),
		node("computed", []any{"document:1#blocked"}, named("document:1#blocked", node("direct", []any{"user:y"})))))
	if diff := cmp.Diff(deep, expand(3)); diff != "" {
		t.Errorf("three deep (-want +got):\n%s", diff)
	}
	ada.Do("RELATION.EXPAND", P{"object": "document:1", "relation": "absent"}).Fails(fault.Validation).Field("/relation")
}

// What takes more than is read for one question is refused, and deleted in parts.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		seed(t, here, ada.OrgID, 10_050)
		refused := ada.Do("RELATION.CHECK", tuple("document:1#viewer@user:y")).Fails(fault.Validation)
		if refused.Failure.Message != "the relations are too many or too deep to answer this query" {
			t.Errorf("refused by %q", refused.Failure.Message)
		}
		ada.Do("RELATION.SUBJECT_LIST", P{"object": "document:1", "relation": "viewer"}).Fails(fault.Validation)
		gone := ada.Do("RELATION.DELETE", P{"filter": P{"object": "document:1", "relation": "viewer"}}).OK()
		if gone.Int("deleted") != 10_000 || !gone.Bool("more") {
			t.Errorf("deleted %v", gone.Data)
		}
		if allowed(ada, "document:1#viewer@user:y") {
			t.Error("who is not named is let in")
		}
	})
}

// seed stores many tuples at once: teams that view document:1.
func seed(t *testing.T, h *harness.Service, org string, count int) {
	t.Helper()
	rows := make([]string, count)
	for n := range rows {
		rows[n] = fmt.Sprintf("('document:1', '%s', 'viewer', 1, 'team:t%d#member', 'document#viewer@team#member', '', %s)", org, n, writtenAt(h))
	}
	for part := range slices.Chunk(rows, 500) {
		_, err := h.Store.Database().Write.ExecContext(t.Context(),
			`INSERT INTO relation_tuples (object, org_id, relation, kind, subject, shape, context, written_at) VALUES `+strings.Join(part, ", "))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// writtenAt is a time as the database of a service has it.
func writtenAt(h *harness.Service) string {
	if h.Store.Database().ChangesInWith {
		return "now()"
	}
	return "1"
}

// What is deleted takes its tuples along, in every workspace, and moves their revisions.
func TestUserDelete(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada, bob, root := here.SignUp("ada@example.com"), here.SignUp("bob@example.com"), here.Superadmin()
		account := "user:" + bob.UserID
		publish(ada, model+"type badge\n  relations\n    define of: [user, user#friend]\n").Fails(fault.Validation)
		friends := strings.Replace(model, "type user\n", "type user\n  relations\n    define friend: [user]\n", 1) +
			"type badge\n  relations\n    define of: [user, user#friend]\n"
		publish(ada, friends).OK()
		before := write(ada, "document:1#viewer@"+account, "document:1#viewer@user:other", account+"#friend@user:other", "badge:1#of@"+account+"#friend").OK()
		root.Do("USER.DELETE", P{"user_id": bob.UserID}).OK()
		left := ada.Do("RELATION.LIST", nil).OK().List("items")
		if len(left) != 1 || left[0]["subject"] != "user:other" {
			t.Errorf("left %v", left)
		}
		after := ada.Do("RELATION.CHECK", tuple("document:1#viewer@user:other")).OK()
		if !after.Bool("allowed") || after.String("revision") == before.String("revision") {
			t.Errorf("the revision is %s, as before", after.String("revision"))
		}
	})
}

// A group of this service is no subject until its members are known.
func TestGroupsOfThisService(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	publish(ada, "model\n  schema 1.1\ntype user\ntype group\n  relations\n    define member: [user]\ntype document\n  relations\n    define viewer: [group#member]\n").OK()
	const group = "group:grp_01jd7x9k2mf3q8v5t0abcdefgh"
	write(ada, "document:1#viewer@"+group+"#member").Fails(fault.Validation).Field("/tuples/0/subject")
	write(ada, group+"#member@user:x").Fails(fault.Validation).Field("/tuples/0/object")
	write(ada, "document:1#viewer@group:own#member", "group:own#member@user:x").OK()
	if !allowed(ada, "document:1#viewer@user:x") {
		t.Error("a member of an own group is not let in")
	}
}
