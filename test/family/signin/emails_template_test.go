package signin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

// template is one that is taken, for mails with a link.
func template(subject string, more ...harness.P) harness.P {
	p := harness.P{
		"template": "password_reset", "subject": subject,
		"html": `<p>{{if .name}}{{.name}}{{end}} <a href="{{.link}}">here</a></p>`, "text": "Open {{.link}}",
	}
	for _, one := range more {
		for name, value := range one {
			p[name] = value
		}
	}
	return p
}

// get reads the template in force.
func get(who *harness.Actor, locale string) *harness.Reply {
	return who.Do("EMAIL.TEMPLATE_GET", harness.P{"template": "password_reset", "locale": locale}).OK()
}

func TestTemplatesOfWorkspaceAndInstance(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root, ada, bob := h.Superadmin(), h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
		if got := get(ada, "de"); got.String("source") != "builtin" || got.String("subject") != "Reset your password" || !strings.Contains(got.String("html"), "{{.link}}") {
			t.Errorf("built-in: %v", got.Data)
		}
		root.Do("EMAIL.TEMPLATE_SET", template("instance")).OK()
		root.Do("EMAIL.TEMPLATE_SET", template("instance de", harness.P{"locale": "de"})).OK()
		set := ada.Do("EMAIL.TEMPLATE_SET", template("workspace DE", harness.P{"locale": "de-CH"})).OK()
		if set.String("template.source") != "workspace" || set.String("template.locale") != "de-ch" || set.String("template.subject") != "workspace DE" {
			t.Errorf("set: %v", set.Data)
		}
		for _, want := range []struct {
			who                     *harness.Actor
			locale, subject, source string
		}{
			{ada, "de-ch", "workspace DE", "workspace"},
			{ada, "de", "instance de", "instance"},
			{ada, "de-AT", "instance de", "instance"},
			{ada, "", "instance", "instance"},
			{bob, "de-CH", "instance de", "instance"},
			{root, "de-CH", "instance de", "instance"},
		} {
			if got := get(want.who, want.locale); got.String("subject") != want.subject || got.String("source") != want.source {
				t.Errorf("%s: %v, want %s of the %s", want.locale, got.Data, want.subject, want.source)
			}
		}
		item := list(ada)["password_reset"]
		if item["overridden"] != true || fmt.Sprint(item["locales"]) != "[de de-ch]" || !slices.Contains(strings.Fields(strings.Trim(fmt.Sprint(item["variables"]), "[]")), "link") {
			t.Errorf("listed: %v", item)
		}
		if other := list(ada)["login_code"]; other["overridden"] != false || fmt.Sprint(other["locales"]) != "[]" {
			t.Errorf("listed: %v", other)
		}
		reset := ada.Do("EMAIL.TEMPLATE_RESET", harness.P{"template": "password_reset", "locale": "DE-ch"}).OK()
		if reset.String("template.subject") != "instance de" || reset.String("template.source") != "instance" {
			t.Errorf("reset: %v", reset.Data)
		}
		ada.Do("EMAIL.TEMPLATE_RESET", harness.P{"template": "password_reset", "locale": "de-CH"}).OK()
		root.Do("EMAIL.TEMPLATE_RESET", harness.P{"template": "password_reset"}).OK()
		if got := get(bob, "fr"); got.String("source") != "builtin" {
			t.Errorf("after the reset: %v", got.Data)
		}
		sets, resets := h.Events(mail.KindSet), h.Events(mail.KindReset)
		if len(sets) != 3 || sets[0].OrgID != ada.OrgID || sets[1].OrgID != "" || len(resets) != 2 {
			t.Errorf("events %+v and %+v", sets, resets)
		}
	})
}

func list(who *harness.Actor) map[string]harness.P {
	items := map[string]harness.P{}
	for _, item := range who.Do("EMAIL.TEMPLATE_LIST", nil).OK().List("items") {
		items[item["template"].(string)] = item
	}
	return items
}

func TestSetRefusesWhatIsUnsafe(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	for field, change := range map[string]harness.P{
		"/html":     {"html": "<p>no link</p>"},
		"/text":     {"text": "{{range .link}}{{end}}"},
		"/subject":  {"subject": "{{.secret}}"},
		"/template": {"template": "unknown"},
		"/locale":   {"locale": "not a locale"},
	} {
		ada.Do("EMAIL.TEMPLATE_SET", template("x", change)).Fails(fault.Validation).Field(field)
	}
	if got := get(ada, ""); got.String("source") != "builtin" {
		t.Error("something was set")
	}
}

func TestSetTakesTheBuiltInTextAndKeepsOneEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	plain := template("x")
	delete(plain, "text")
	builtin := get(ada, "").String("text")
	for range 2 {
		if got := ada.Do("EMAIL.TEMPLATE_SET", plain).OK(); got.String("template.text") != builtin {
			t.Errorf("text %q", got.String("template.text"))
		}
	}
	if got := h.Events(mail.KindSet); len(got) != 1 {
		t.Errorf("%d events, want 1", len(got))
	}
	ada.DryRun().Do("EMAIL.TEMPLATE_RESET", harness.P{"template": "password_reset"}).OK()
	if get(ada, "").String("subject") != "x" {
		t.Error("a dry run changed something")
	}
}

func TestSetBoundsTheLanguages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	for n := range 50 {
		ada.Do("EMAIL.TEMPLATE_SET", template("x", harness.P{"locale": fmt.Sprintf("de-x%d", n)})).OK()
		h.Clock.Advance(3 * time.Second)
	}
	ada.Do("EMAIL.TEMPLATE_SET", template("x", harness.P{"locale": "fr"})).Fails(fault.Validation).Field("/locale")
	ada.Do("EMAIL.TEMPLATE_SET", template("y", harness.P{"locale": "de-x7"})).OK()
}

// Templates cost to judge, and everybody owns a workspace to try them in.
func TestJudgingIsLimited(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	for range 30 {
		ada.Do("EMAIL.TEMPLATE_PREVIEW", harness.P{"template": "login_code"}).OK()
	}
	ada.Do("EMAIL.TEMPLATE_PREVIEW", harness.P{"template": "login_code"}).Fails(fault.RateLimited)
}

func TestPreview(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	stored := ada.Do("EMAIL.TEMPLATE_PREVIEW", harness.P{"template": "login_code"}).OK()
	if !strings.Contains(stored.String("subject"), "is your sign-in code") || !strings.Contains(stored.String("text"), "Ada Lovelace") {
		t.Errorf("preview %v", stored.Data)
	}
	tried := ada.Do("EMAIL.TEMPLATE_PREVIEW", template("Hi {{.name}}", harness.P{"variables": harness.P{"name": "<Bob>", "ip": ""}})).OK()
	if tried.String("subject") != "Hi <Bob>" || !strings.Contains(tried.String("html"), "&lt;Bob&gt;") || !strings.Contains(tried.String("html"), `href="https://auth.example.com/`) {
		t.Errorf("preview %v", tried.Data)
	}
	ada.Do("EMAIL.TEMPLATE_PREVIEW", harness.P{"template": "password_reset", "html": "no link"}).Fails(fault.Validation).Field("/html")
	ada.Do("EMAIL.TEMPLATE_PREVIEW", harness.P{"template": "test", "variables": harness.P{"link": "x"}}).Fails(fault.Validation).Field("/variables/link")
	big := harness.P{"template": "test", "html": strings.Repeat("{{.name}}", 7000), "variables": harness.P{"name": strings.Repeat("x", 500)}}
	ada.Do("EMAIL.TEMPLATE_PREVIEW", big).Fails(fault.Validation)
	if len(h.Events(mail.KindSet)) != 0 || get(ada, "").String("source") != "builtin" {
		t.Error("a preview stored something")
	}
}
