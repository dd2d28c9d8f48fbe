package people_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/test/harness"
	"gatehouse.internal/test/relations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const model = `model
  schema 1.1
type user
type team
  relations
    define member: [user, team#member]
type folder
  relations
    define parent: [folder]
    define viewer: [user, team#member] or viewer from parent
type document
  relations
    define folder: [folder]
    define blocked: [user]
    define owner: [user, user with in_time]
    define viewer: [user, user:*, team#member] or owner or viewer from folder
    define reader: viewer but not blocked
condition in_time(now: timestamp, until: timestamp) {
  now < until
}
`

// tuple is one in parameters.
func tuple(text string) P {
	object, rest, _ := strings.Cut(text, "#")
	name, subject, _ := strings.Cut(rest, "@")
	return P{"object": object, "relation": name, "subject": subject}
}

func write(by *harness.Actor, texts ...string) *harness.Reply {
	var tuples []P
	for _, text := range texts {
		tuples = append(tuples, tuple(text))
	}
	return by.Do("RELATION.WRITE", P{"tuples": tuples})
}

func publish(by *harness.Actor, text string) *harness.Reply {
	return by.Do("RELATION.MODEL_SET", P{"model": text})
}

func allowed(by *harness.Actor, text string) bool {
	return by.Do("RELATION.CHECK", tuple(text)).OK().Bool("allowed")
}

// eventsOf are the events of a kind in a workspace, newest first.
func eventsOf(h *harness.Service, kind event.Kind, org string) []event.Record {
	return slices.DeleteFunc(h.Events(kind), func(r event.Record) bool { return r.OrgID != org })
}

// The table of cases holds through the commands too.
func TestCases(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		elsewhere := there.With(ada.AccessToken)
		for _, one := range relations.Cases(t) {
			for ada.Do("RELATION.DELETE", P{"filter": P{"relation": "none"}}).OK(); ; {
				stored := ada.Do("RELATION.LIST", P{"limit": 100}).OK().List("items")
				if len(stored) == 0 {
					break
				}
				ada.Do("RELATION.DELETE", P{"tuples": keys(stored)}).OK()
			}
			publish(ada, one.Model).OK()
			ada.Do("RELATION.WRITE", P{"tuples": params(t, one.Tuples)}).OK()
			var checks, answers []P
			for _, check := range one.Checks {
				question := P{"object": check.Object, "relation": check.Relation, "subject": check.Subject}
				if check.Context != nil {
					question["context"] = check.Context
				}
				if check.Want == "error" {
					elsewhere.Do("RELATION.CHECK", question).Fails(fault.Validation)
					continue
				}
				checks, answers = append(checks, question), append(answers, P{"allowed": check.Want == "yes"})
			}
			results := elsewhere.Do("RELATION.BULK_CHECK", P{"checks": checks}).OK().List("results")
			if diff := cmp.Diff(answers, results); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%v", one.Name, diff, checks)
			}
		}
	})
}

// keys are those of listed tuples.
func keys(listed []P) []P {
	var all []P
	for _, one := range listed {
		all = append(all, P{"object": one["object"], "relation": one["relation"], "subject": one["subject"]})
	}
	return all
}

func params(t *testing.T, tuples []relation.Tuple) []P {
	t.Helper()
	var all []P
	for _, one := range tuples {
		made := tuple(one.String())
		if one.Condition != "" {
			condition := P{"name": one.Condition}
			if one.Context != "" {
				var context P
				if err := json.Unmarshal([]byte(one.Context), &context); err != nil {
					t.Fatal(err)
				}
				condition["context"] = context
			}
			made["condition"] = condition
		}
		all = append(all, made)
	}
	return all
}

func TestWriteListAndDelete(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		write(ada, "document:1#viewer@user:ada").Fails(fault.NotFound)
		if len(ada.Do("RELATION.LIST", nil).OK().List("items")) > 0 || publish(ada, model).OK().Int("version") != 1 {
			t.Error("a workspace without a model has tuples, or its first model another version than 1")
		}
		first := write(ada, "document:1#viewer@user:ada", "document:1#viewer@team:a#member", "team:a#member@user:bob", "team:a#member@user:bob").OK()
		if first.Int("written") != 3 || first.String("revision") != "2" {
			t.Errorf("wrote %v", first.Data)
		}
		again := write(ada, "document:1#viewer@user:ada").OK()
		if again.Int("written") != 0 || again.String("revision") != "2" || len(eventsOf(here, relation.KindWritten, ada.OrgID)) != 1 {
			t.Errorf("wrote the same once more: %v", again.Data)
		}
		// One that does not fit keeps all away.
		refused := write(ada, "document:1#viewer@user:carol", "document:1#reader@user:carol", "folder:1#viewer@user:*", "robot:1#viewer@user:x").Fails(fault.Validation)
		refused.Field("/tuples/1/relation").Field("/tuples/2/subject").Field("/tuples/3/object")
		if allowed(ada, "document:1#viewer@user:carol") {
			t.Error("a part was written")
		}
		elsewhere := there.With(ada.AccessToken)
		list := func(params P) []string {
			params["limit"] = 2
			var all []string
			for {
				page := elsewhere.Do("RELATION.LIST", params).OK()
				for _, one := range page.List("items") {
					all = append(all, fmt.Sprintf("%s#%s@%s", one["object"], one["relation"], one["subject"]))
				}
				if page.Data["next_cursor"] == nil {
					return all
				}
				params["cursor"] = page.String("next_cursor")
			}
		}
		write(ada, "document:2#viewer@user:ada", "document:2#owner@user:ada", "document:3#owner@user:bob").OK()
		for name, c := range map[string]struct {
			params P
			want   []string
		}{
			"all": {P{}, []string{
				"document:2#owner@user:ada", "document:3#owner@user:bob", "document:1#viewer@team:a#member",
				"document:1#viewer@user:ada", "document:2#viewer@user:ada", "team:a#member@user:bob",
			}},
			"an object":     {P{"object": "document:1"}, []string{"document:1#viewer@user:ada", "document:1#viewer@team:a#member"}},
			"a relation":    {P{"relation": "viewer"}, []string{"document:1#viewer@team:a#member", "document:1#viewer@user:ada", "document:2#viewer@user:ada"}},
			"a subject":     {P{"subject": "user:ada"}, []string{"document:2#owner@user:ada", "document:1#viewer@user:ada", "document:2#viewer@user:ada"}},
			"two parts":     {P{"subject": "user:ada", "relation": "viewer"}, []string{"document:1#viewer@user:ada", "document:2#viewer@user:ada"}},
			"a whole tuple": {P{"subject": "user:ada", "relation": "viewer", "object": "document:2"}, []string{"document:2#viewer@user:ada"}},
			"nothing":       {P{"object": "document:9"}, nil},
		} {
			if got := list(c.params); !slices.Equal(got, c.want) {
				t.Errorf("%s: listed %q, want %q", name, got, c.want)
			}
		}
		ada.Do("RELATION.DELETE", P{"tuples": []P{tuple("document:1#viewer@user:ada"), tuple("document:9#viewer@user:ada")}}).OK()
		gone := ada.Do("RELATION.DELETE", P{"filter": P{"subject": "user:ada"}}).OK()
		if gone.Int("deleted") != 2 || gone.Bool("more") || gone.String("revision") != "5" || len(list(P{})) != 3 {
			t.Errorf("deleted %v, left %q", gone.Data, list(P{}))
		}
		if events := eventsOf(here, relation.KindDeleted, ada.OrgID); len(events) != 2 || !strings.Contains(string(events[0].Data), `"count":2`) {
			t.Errorf("told %+v", events)
		}
		ada.Do("RELATION.DELETE", P{"filter": P{}}).Fails(fault.Validation).Field("/filter")
		ada.Do("RELATION.DELETE", nil).Fails(fault.Validation)
		if n := ada.Do("RELATION.DELETE", P{"filter": P{"relation": "viewer"}}).OK().Int("deleted"); n != 1 {
			t.Errorf("deleted %d viewers", n)
		}
	})
}

// Tuples of one workspace mean nothing in another.
func TestWorkspacesApart(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob := here.SignUp("ada@example.com"), there.SignUp("bob@example.com")
		publish(ada, model).OK()
		write(ada, "document:1#viewer@user:x").OK()
		bob.Do("RELATION.CHECK", tuple("document:1#viewer@user:x")).Fails(fault.NotFound)
		bob.Do("RELATION.MODEL_GET", nil).Fails(fault.NotFound)
		publish(bob, model).OK()
		if allowed(bob, "document:1#viewer@user:x") || len(bob.Do("RELATION.LIST", nil).OK().List("items")) > 0 {
			t.Error("a tuple of another workspace counts")
		}
		bob.Do("RELATION.DELETE", P{"filter": P{"subject": "user:x"}}).OK()
		if !allowed(ada, "document:1#viewer@user:x") {
			t.Error("another workspace deleted a tuple")
		}
	})
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		revision := write(ada, "document:1#viewer@user:x").OK().String("revision")
		question := tuple("document:1#viewer@user:x")
		question["at_least"] = revision
		if got := there.With(ada.AccessToken).Do("RELATION.CHECK", question).OK(); !got.Bool("allowed") || got.String("revision") != revision {
			t.Errorf("checked %v", got.Data)
		}
		for _, wrong := range []string{"3", "007", "99999999999999999999"} {
			question["at_least"] = wrong
			ada.Do("RELATION.CHECK", question).Fails(fault.Validation).Field("/at_least")
		}
	})
}

// Writers on two replicas get each its own revision, and none is left out.
func TestRevisionsUnderRaces(t *testing.T) {
	t.Parallel()
	const writers, writes = 4, 10
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		revisions := make(chan string, 2*writers*writes)
		harness.Together(2*writers, func(i int) *harness.Reply {
			by := []*harness.Service{here, there}[i%2].With(ada.AccessToken)
			var last *harness.Reply
			for n := range writes {
				last = write(by, fmt.Sprintf("document:%d-%d#viewer@user:x", i, n)).OK()
				revisions <- last.String("revision")
			}
			return last
		})
		close(revisions)
		var seen []int
		for text := range revisions {
			n, _ := strconv.Atoi(text)
			seen = append(seen, n)
		}
		slices.Sort(seen)
		for i, n := range seen {
			if n != i+2 {
				t.Fatalf("revisions %v", seen)
			}
		}
	})
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		short := tuple("document:1#viewer@user:x")
		short["expires_at"] = here.Clock.Now().Add(time.Minute).Format(time.RFC3339Nano)
		ada.Do("RELATION.WRITE", P{"tuples": []P{short}}).OK()
		if !allowed(ada, "document:1#viewer@user:x") {
			t.Error("it does not count yet")
		}
		here.Clock.Advance(time.Minute)
		listed := ada.Do("RELATION.OBJECT_LIST", P{"subject": "user:x", "relation": "viewer", "type": "document"}).OK()
		if allowed(ada, "document:1#viewer@user:x") || len(listed.Data["items"].([]any)) > 0 || len(ada.Do("RELATION.LIST", nil).OK().List("items")) > 0 {
			t.Error("it counts still")
		}
		short["expires_at"] = here.Clock.Now().Format(time.RFC3339Nano)
		ada.Do("RELATION.WRITE", P{"tuples": []P{short}}).Fails(fault.Validation).Field("/tuples/0/expires_at")
		// What expired can be written anew, for good.
		if write(ada, "document:1#viewer@user:x").OK().Int("written") != 1 || !allowed(ada, "document:1#viewer@user:x") {
			t.Error("it was not written anew")
		}
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		write(ada, "document:1#viewer@user:x", "document:1#blocked@user:x", "document:2#blocked@user:x").OK()
		if allowed(ada, "document:1#reader@user:x") {
			t.Error("who is blocked reads")
		}
		without := strings.Replace(model, "    define blocked: [user]\n", "", 1)
		without = strings.Replace(without, "viewer but not blocked", "viewer", 1)
		refused := publish(ada, without).Fails(fault.Validation).Field("/model")
		if !strings.Contains(refused.Failure.Message, "document:1#blocked@user:x") {
			t.Errorf("refused by %q", refused.Failure.Message)
		}
		ada.Do("RELATION.DELETE", P{"filter": P{"relation": "blocked"}}).OK()
		for range 2 {
			if version := publish(ada, without).OK().Int("version"); version != 2 {
				t.Errorf("the second version, or the same model once more, is %d", version)
			}
		}
		// The replica that knew the first version goes by the second at once.
		if !allowed(there.With(ada.AccessToken), "document:1#reader@user:x") || !allowed(ada, "document:1#reader@user:x") {
			t.Error("the former model is in force")
		}
		latest := ada.Do("RELATION.MODEL_GET", nil).OK()
		if latest.Int("version") != 2 || ada.Do("RELATION.MODEL_GET", P{"version": 1}).OK().Int("version") != 1 {
			t.Errorf("the model in force is %v", latest.Data)
		}
		ada.Do("RELATION.MODEL_GET", P{"version": 3}).Fails(fault.NotFound)
		// What was read can be published as it is.
		if got := ada.Do("RELATION.MODEL_SET", P{"model": latest.Data["model"]}).OK(); got.Int("version") != 2 {
			t.Errorf("publishing what was read made version %d", got.Int("version"))
		}
		if len(eventsOf(here, relation.KindModelSet, ada.OrgID)) != 2 {
			t.Error("not every version was told, or one too many")
		}
		spare := publish(ada, without+"condition spare(x: int) {\n  x > 1\n}\n").OK()
		if warnings := spare.Data["warnings"].([]any); len(warnings) != 1 {
			t.Errorf("warnings %v", warnings)
		}
		for text, want := range map[string]string{
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: c\n":                                                        "line 6",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: [user with c]\ncondition c(x: int) {\n  x + 1\n}\n":         "true or false",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: [user with c]\ncondition c(x: int) {\n  x < nobody\n}\n":    "nobody",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: [user with c]\ncondition c(x: strange) {\n  x < 1\n}\n":     "strange",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: b from b\n":                                                 "must only list types",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: [a#b]\n":                                                    "b can never be granted",
			"model\n  schema 1.1\ntype user\ntype a\n  relations\n    define b: [user] or c and d\n    define c: [user]\n    define d: c\n": "parentheses",
		} {
			if got := publish(ada, text).Fails(fault.Validation); !strings.Contains(got.Failure.Message, want) {
				t.Errorf("refused by %q, want %q", got.Failure.Message, want)
			}
		}
	})
}
