package operations_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// denying is a graph that denies where an expression holds.
func denying(expression string) P {
	return P{
		"nodes": []P{
			{"id": "start", "type": "start"},
			{"id": "if", "type": "condition", "config": P{"expression": expression}},
			{"id": "deny", "type": "deny", "config": P{"reason": "Not now."}},
		},
		"edges": []P{{"from": "start", "to": "if"}, {"from": "if", "to": "deny", "when": "true"}},
	}
}

// with puts parameters over others.
func with(base, more P) P {
	all := P{}
	for name, value := range base {
		all[name] = value
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

func TestFlowsAreMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := alice.Do("FLOW.CREATE", with(denying("true"), P{"name": "closed", "trigger": "login", "description": "Nobody."})).OK()
	if made.String("flow.scope") != "workspace" || made.Data["flow"].(P)["enabled"] != false || made.Int("flow.version") != 1 {
		t.Errorf("made %v", made.Data)
	}
	for path, params := range map[string]P{
		"/name":                      with(denying("true"), P{"name": "closed", "trigger": "login"}),
		"/trigger":                   {"name": "x"},
		"/template":                  {"name": "x", "template": "nothing"},
		"/nodes/1/config/expression": with(denying("user.nothing"), P{"name": "x", "trigger": "login"}),
	} {
		alice.Do("FLOW.CREATE", params).Fails(fault.Validation).Field(path)
	}
	alice.Do("FLOW.CREATE", P{"name": "x", "template": "office-hours", "trigger": "login"}).Fails(fault.Validation).Field("/template")
	alice.Do("FLOW.CREATE", P{"name": "x", "template": "office-hours", "scope": "instance"}).Fails(fault.Denied)

	if again := alice.Do("FLOW.UPDATE", with(denying("true"), P{"name": "closed"})).OK(); again.Int("flow.version") != 1 {
		t.Errorf("the same graph again is version %d", again.Int("flow.version"))
	}
	alice.Do("FLOW.UPDATE", with(denying("1"), P{"name": "closed"})).Fails(fault.Validation).Field("/nodes/1/config/expression")
	alice.Do("FLOW.UPDATE", with(denying("false"), P{"name": "closed", "expected_version": 1})).OK()
	alice.Do("FLOW.UPDATE", with(denying("true"), P{"name": "closed", "expected_version": 1})).Fails(fault.Validation).Field("/expected_version")
	versions := alice.Do("FLOW.VERSION_LIST", P{"name": "closed"}).OK().List("items")
	if len(versions) != 2 || fmt.Sprint(versions[0]["changes"]) != "[node if changed]" || versions[0]["author"] != alice.UserID {
		t.Errorf("versions %v", versions)
	}
	old := alice.Do("FLOW.GET", P{"name": "closed", "version": 1}).OK()
	if !strings.Contains(fmt.Sprint(old.Data), "expression:true") {
		t.Errorf("version 1 is %v", old.Data)
	}
	alice.Do("FLOW.GET", P{"name": "closed", "version": 9}).Fails(fault.NotFound)
	if back := alice.Do("FLOW.ROLLBACK", P{"name": "closed", "version": 1}).OK(); back.Int("flow.version") != 3 {
		t.Errorf("rolled back to %v", back.Data)
	}
	bob := h.SignUp("bob@example.com")
	bob.Do("FLOW.GET", P{"name": "closed"}).Fails(fault.NotFound)
	bob.Do("FLOW.CREATE", P{"name": "closed", "template": "office-hours"}).OK()
	if found := alice.Do("FLOW.LIST", P{"trigger": "login", "enabled": false}).OK().List("items"); len(found) != 1 {
		t.Errorf("alice has %v", found)
	}
	if found := alice.Do("FLOW.LIST", P{"enabled": true}).OK().List("items"); len(found) != 0 {
		t.Errorf("enabled are %v", found)
	}
	alice.Do("FLOW.DELETE", P{"name": "closed"}).OK()
	alice.Do("FLOW.DELETE", P{"name": "closed"}).Fails(fault.NotFound)
	bob.Do("FLOW.GET", P{"name": "closed"}).OK()
}

func TestTheLastHundredVersionsAreKept(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("FLOW.CREATE", with(denying("true"), P{"name": "often", "trigger": "login"})).OK()
	for n := range 100 {
		alice.Do("FLOW.UPDATE", with(denying(fmt.Sprintf("user.id == '%d'", n)), P{"name": "often"})).OK()
	}
	alice.Do("FLOW.GET", P{"name": "often", "version": 1}).Fails(fault.NotFound)
	alice.Do("FLOW.GET", P{"name": "often", "version": 2}).OK()
	first := alice.Do("FLOW.VERSION_LIST", P{"name": "often", "limit": 60}).OK()
	rest := alice.Do("FLOW.VERSION_LIST", P{"name": "often", "limit": 60, "cursor": first.Data["next_cursor"]}).OK().List("items")
	if len(first.List("items")) != 60 || len(rest) != 40 || rest[39]["version"] != float64(2) {
		t.Errorf("%d and %d versions, the last %v", len(first.List("items")), len(rest), rest[len(rest)-1])
	}
}

func TestFlowsAreTestedWithoutChangingAnything(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	got := alice.Do("FLOW.TEST", with(denying("'owner' in user.roles"), P{"trigger": "login", "context": P{"user": P{"roles": []string{"owner"}}}})).OK()
	if got.String("decision") != "deny" || got.String("reason") != "Not now." || fmt.Sprint(got.Strings("path")) != "[start if deny]" || len(got.List("trace")) != 3 {
		t.Errorf("the test came to %v", got.Data)
	}
	alice.Do("FLOW.CREATE", P{"name": "risky", "template": "deny-high-risk"}).OK()
	if got := alice.Do("FLOW.TEST", P{"name": "risky", "context": P{"risk": P{"score": 40}}}).OK(); got.String("decision") != "require_mfa" {
		t.Errorf("the stored one came to %v", got.Data)
	}
	hook := P{
		"nodes": []P{{"id": "start", "type": "start"}, {"id": "ask", "type": "webhook_check", "config": P{"url": "https://hooks.example.com/", "on_error": "deny"}}},
		"edges": []P{{"from": "start", "to": "ask"}}, "trigger": "login", "context": P{},
	}
	if got := alice.Do("FLOW.TEST", hook).OK(); got.String("reason") != "flow_error" {
		t.Errorf("without a mock: %v", got.Data)
	}
	mocked := alice.Do("FLOW.TEST", with(hook, P{"mocks": P{"ask": P{"decision": "allow", "claims": P{"tier": "gold"}}}})).OK()
	if mocked.String("decision") != "allow" || mocked.String("claims.tier") != "gold" {
		t.Errorf("with a mock: %v", mocked.Data)
	}
	alice.Do("FLOW.TEST", P{"context": P{}}).Fails(fault.Validation).Field("/name")
	alice.Do("FLOW.TEST", P{"name": "risky", "context": P{"user": P{"age": 1}, "ip": P{"version": "4"}}}).Fails(fault.Validation).Field("/context/user/age")
	private := with(hook, P{"nodes": []P{{"id": "start", "type": "start"}, {"id": "ask", "type": "webhook_check", "config": P{"url": "https://169.254.169.254/", "on_error": "deny"}}}})
	alice.Do("FLOW.TEST", private).Fails(fault.Validation).Field("/nodes/1/config/url")
	if wrong := alice.Do("FLOW.VALIDATE", with(denying("user."), P{"trigger": "login"})).OK(); wrong.Data["valid"] != false || len(wrong.List("problems")) != 1 {
		t.Errorf("validated %v", wrong.Data)
	}
	dangling := denying("true")
	dangling["nodes"] = append(dangling["nodes"].([]P), P{"id": "lost", "type": "allow"})
	dangling["edges"] = append(dangling["edges"].([]P), P{"from": "deny", "to": "nothing"})
	var paths []any
	for _, one := range alice.Do("FLOW.VALIDATE", with(dangling, P{"trigger": "login"})).OK().List("problems") {
		paths = append(paths, one["path"])
	}
	if !slices.Contains(paths, any("/edges/2/to")) || !slices.Contains(paths, any("/nodes/3")) {
		t.Errorf("of a graph with a dangling edge and an unreachable node, %v are named", paths)
	}
	if warned := alice.Do("FLOW.VALIDATE", with(denying("ip.country == 'NZ'"), P{"trigger": "login"})).OK(); warned.Data["valid"] != true || len(warned.List("problems")) != 1 {
		t.Errorf("validated %v", warned.Data)
	}
}

func TestTheReferenceIsWhole(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	if kinds := alice.Do("FLOW.NODE_TYPE_LIST", nil).OK().List("items"); len(kinds) != 15 || kinds[1]["config_schema"].(P)["type"] != "object" {
		t.Errorf("%d kinds: %v", len(kinds), kinds[1])
	}
	if triggers := alice.Do("FLOW.TRIGGER_LIST", nil).OK().List("items"); len(triggers) != 8 {
		t.Errorf("triggers %v", triggers)
	}
	for _, template := range alice.Do("FLOW.TEMPLATE_LIST", nil).OK().List("items") {
		alice.Do("FLOW.CREATE", P{"name": template["template"], "template": template["template"]}).OK()
	}
}

func TestFlowsAreImportedByAnotherWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	alice.Do("FLOW.CREATE", P{"name": "hours", "template": "office-hours", "description": "When we work: 7–19."}).OK()
	alice.Do("FLOW.CREATE", P{"name": "risky", "template": "deny-high-risk"}).OK()
	for _, format := range []string{"json", "yaml"} {
		document := alice.Do("FLOW.EXPORT", P{"format": format}).OK().Data["document"]
		first := bob.Do("FLOW.IMPORT", P{"document": document, "on_conflict": "replace"}).OK()
		if format == "json" && fmt.Sprint(first.Strings("created")) != "[hours risky]" {
			t.Errorf("brought in %v", first.Data)
		}
		again := bob.Do("FLOW.IMPORT", P{"document": document}).OK()
		if len(again.Strings("created"))+len(again.Strings("updated")) != 0 {
			t.Errorf("%s again: %v", format, again.Data)
		}
		if back := bob.Do("FLOW.EXPORT", P{"format": format}).OK().Data["document"]; fmt.Sprint(back) != fmt.Sprint(document) {
			t.Errorf("%s came back as %v", format, back)
		}
	}
	one := alice.Do("FLOW.EXPORT", P{"names": []string{"hours"}}).OK().Data["document"]
	bob.Do("FLOW.UPDATE", P{"name": "hours", "description": "Mine."}).OK()
	bob.Do("FLOW.IMPORT", P{"document": one}).Fails(fault.Validation).Field("/document/flows/0/name")
	if renamed := bob.Do("FLOW.IMPORT", P{"document": one, "on_conflict": "rename"}).OK(); fmt.Sprint(renamed.Strings("created")) != "[hours-2]" {
		t.Errorf("renamed %v", renamed.Data)
	}
	broken := P{"version": 1, "flows": []P{with(denying("true"), P{"name": "fine", "trigger": "login", "scope": "workspace"}), with(denying("1"), P{"name": "bad", "trigger": "login", "scope": "workspace"})}}
	if refused := bob.Do("FLOW.IMPORT", P{"document": broken}).OK(); len(refused.List("problems")) != 1 || refused.List("problems")[0]["path"] != "/document/flows/1/nodes/1/config/expression" {
		t.Errorf("problems %v", refused.Data)
	}
	bob.Do("FLOW.GET", P{"name": "fine"}).Fails(fault.NotFound)
	bob.Do("FLOW.IMPORT", P{"document": "a: [1"}).Fails(fault.Validation).Field("/document")
	bob.Do("FLOW.IMPORT", P{"document": P{"version": 1, "flows": []P{with(denying("true"), P{"name": "x", "trigger": "login", "scope": "instance"})}}}).Fails(fault.Denied)
	alice.Do("FLOW.EXPORT", P{"names": []string{"nothing"}}).Fails(fault.NotFound)
}

// A document is held to what FLOW.CREATE asks for, and all that is wrong with it is said at once.
func TestFlowsOfAFaultyDocument(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		entry := func(name string, more P) P {
			return with(with(denying("true"), P{"name": name, "trigger": "login"}), more)
		}
		document := func(flows ...P) P { return P{"document": P{"version": 1, "flows": flows}} }
		refused := alice.Do("FLOW.IMPORT", document(
			entry("No Name", P{"trigger": "nothing", "color": "red"}),
			entry("mars", P{"scope": "mars", "description": strings.Repeat("x", 501)}),
			entry("ids", P{"nodes": []P{{"id": "start", "type": "start"}, {"id": "a\nb", "type": "allow"}}, "edges": []P{}}),
			entry("twice", P{}), entry("twice", P{}), entry("bad", denying("1")),
		)).OK()
		want := []string{
			"0/color", "0/name", "0/trigger", "1/description", "1/scope", "2/nodes/1/id", "4/name", "5/nodes/1/config/expression",
		}
		got := []string{}
		for _, one := range refused.List("problems") {
			got = append(got, strings.TrimPrefix(one["path"].(string), "/document/flows/"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("problems at %v, want %v", got, want)
		}
		if all := alice.Do("FLOW.LIST", nil).OK().List("items"); len(all) != 0 {
			t.Errorf("there are %v", all)
		}
		alice.Do("FLOW.CREATE", P{"name": "bare", "trigger": "login", "nodes": []P{{"id": "start", "type": "start"}}}).OK()
		alice.Do("FLOW.CREATE", with(denying("false"), P{"name": "other", "trigger": "login"})).OK()
		taken := alice.Do("FLOW.IMPORT", document(entry("bare", P{}), entry("other", P{}))).Fails(fault.Validation)
		taken.Field("/document/flows/0/name")
		taken.Field("/document/flows/1/name")
		exported := alice.Do("FLOW.EXPORT", nil).OK().Data["document"]
		again := alice.Do("FLOW.IMPORT", P{"document": exported, "on_conflict": "replace"}).OK()
		if len(again.Strings("updated"))+len(again.Strings("created")) != 0 {
			t.Errorf("the same again: %v", again.Data)
		}
	})
}

func TestFlowsOfTheInstanceAreForSuperadmins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("FLOW.CREATE", P{"name": "all", "template": "deny-high-risk", "scope": "instance"}).OK()
	root.Do("FLOW.CREATE", P{"name": "all", "template": "deny-high-risk"}).OK()
	if found := root.Do("FLOW.LIST", P{"scope": "instance"}).OK().List("items"); len(found) != 1 || found[0]["scope"] != "instance" {
		t.Errorf("the instance has %v", found)
	}
	alice := h.SignUp("alice@example.com")
	alice.Do("FLOW.GET", P{"name": "all"}).Fails(fault.NotFound)
	alice.Do("FLOW.GET", P{"name": "all", "scope": "instance"}).Fails(fault.Denied)
	root.Do("FLOW.DELETE", P{"name": "all", "scope": "instance"}).OK()
}
