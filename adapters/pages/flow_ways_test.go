package pages_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// doorway is a sign-in path through the pages: it prepares the login and returns the
// last step.
type doorway struct {
	trigger string
	prepare func(t *testing.T, h *harness.Service, address string) (b *browser, last func())
	// asked is the page that require_mfa leads to; empty if the trigger cannot ask for
	// a factor.
	asked string
	// to is the page after a permitted login; empty if the person stays.
	to string
}

func doorways(provider *upstream.Server) map[string]doorway {
	signedUp := func(t *testing.T, h *harness.Service, address string) *browser {
		b := visit(t, h).signUp(address)
		b.get("/account").fill("/logout").follow()
		return b
	}
	return map[string]doorway{
		"password": {"login", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := signedUp(t, h, address).get("/login")
			return b, func() { b.fill("/login", "email="+address, "password="+harness.Password) }
		}, "/login/required", "/account"},
		"code": {"login", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := signedUp(t, h, address).get("/login").fill("/login/code", "email="+address).follow()
			return b, func() { b.fill("/login/code/verify", "code="+h.LastMail(address).Code()) }
		}, "/login/required", "/account"},
		"second factor": {"mfa_verify", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := visit(t, h).signUp(address).get("/account/security")
			secret, _ := b.enroll(h)
			b.get("/account").fill("/logout").follow()
			h.Clock.Advance(time.Minute)
			b.get("/login").fill("/login", "email="+address, "password="+harness.Password).goes("/login/factor").follow()
			return b, func() { b.fill("/login/factor", "method=totp", "code="+code(t, h, secret)) }
		}, "/account", "/account"},
		"sign-up": {"signup", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := visit(t, h).get("/signup")
			return b, func() { b.fill("/signup", "display_name=Ada", "email="+address, "password="+harness.Password) }
		}, "/login/required", "/account"},
		"social login": {"social_login", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			provider.Be(upstream.Person{ID: fmt.Sprint(len(address), address[7:9]), Email: address, Verified: true, Name: "U"})
			b := visit(t, h)
			b.header.Set("Sec-Fetch-Site", "same-origin")
			return b, func() { b.through(h, provider, "/login/social/google") }
		}, "/login/required", "/account"},
		"reset": {"password_reset", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := signedUp(t, h, address).get("/recover").fill("/recover", "email="+address).follow()
			letter := h.LastMail(address)
			b.get(strings.TrimPrefix(letter.Link(), harness.Issuer))
			return b, func() { b.fill("/recover/password", "token="+letter.Token(), "password=an entirely new phrase") }
		}, "", "/login"},
		"refresh": {"refresh", func(t *testing.T, h *harness.Service, address string) (*browser, func()) {
			b := visit(t, h).signUp(address)
			h.Clock.Advance(20 * time.Minute)
			return b, func() { b.get("/account") }
		}, "/login?return_to=%2Faccount", ""},
	}
}

// Every trigger is enforced on the pages, which show the reason and nothing else of the
// flow.
func TestFlowsDecideByPages(t *testing.T) {
	t.Parallel()
	provider := upstream.Start(t, upstream.Google)
	h := service(t, provider.Environment()...)
	n := 10
	for name, one := range doorways(provider) {
		try := func(does, node string) *browser {
			n++
			b, last := one.prepare(t, h, fmt.Sprintf("person-%d@example.com", n))
			root := h.Superadmin()
			root.Do("FLOW.CREATE", harness.P{"name": does, "trigger": one.trigger, "scope": "instance", "enabled": true, "force": true, "nodes": []any{
				harness.P{"id": "start", "type": "start"}, deciding(node),
			}, "edges": []any{harness.P{"from": "start", "to": "n"}}}).OK()
			last()
			root.Do("FLOW.DELETE", harness.P{"name": does, "scope": "instance"}).OK()
			return b
		}
		if b := try("allows", "allow"); at(b) != one.to {
			t.Errorf("%s: a flow that allows leads to %q with %d, want %q: %s", name, b.page.to, b.page.status, one.to, said(b))
		}
		for does, node := range map[string]string{"denies": "deny", "fails": "condition"} {
			b := try(does, node)
			if at(b) == "/login" {
				b.follow() // the result of the provider's callback
			}
			if b.page.to != "" || b.page.status == http.StatusOK && one.trigger != "social_login" || does == "denies" && !strings.Contains(b.page.body, "Not you.") {
				t.Errorf("%s: a flow that %s leads to %q with %d: %s", name, does, b.page.to, b.page.status, said(b))
			}
		}
		if one.asked == "" {
			continue
		}
		if b := try("claims", "set_claim"); at(b) != one.to {
			t.Errorf("%s: a flow that sets a claim leads to %q with %d: %s", name, b.page.to, b.page.status, said(b))
		}
		if b := try("asks", "require_mfa"); at(b) != one.asked {
			t.Errorf("%s: a flow that asks for a second factor leads to %q with %d, want %q: %s", name, b.page.to, b.page.status, one.asked, said(b))
		}
	}
}

// deciding returns a node of a decision type.
func deciding(kind string) harness.P {
	config := map[string]harness.P{
		"deny": {"reason": "Not you."}, "condition": {"expression": "org.metadata.nothing == method"}, "set_claim": {"name": "tier", "expression": "'gold'"},
	}
	node := harness.P{"id": "n", "type": kind}
	if config[kind] != nil {
		node["config"] = config[kind]
	}
	return node
}

var tags = regexp.MustCompile(`(?s)<(style|script|svg).*?</(style|script|svg)>|<[^>]*>|\s+`)

// at returns the address that the last response leads to.
func at(b *browser) string { return pendingParameter.ReplaceAllString(b.page.to, "") }

// said returns the text of the last page.
func said(b *browser) string { return tags.ReplaceAllString(b.page.body, " ") }

// A flow is edited as JSON, which makes a new version, and deleted after a question.
// Nobody overwrites what somebody else has changed meanwhile.
func TestEditAndDeleteFlow(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	ada.team("Acme")
	const page = flowsPage + "/named/risky"
	ada.get(flowsPage+"/new").fill(flowsPage+"/new", "name=risky", "template=deny-high-risk").goes(page).follow().shows(http.StatusOK, "Edit", "Delete")
	ada.click(page+"/edit").shows(http.StatusOK, "Edit risky", "risk_score", "[\n  {\n")
	version := ada.hidden("version")
	nodes := `nodes=[{"id": "start", "type": "start"}, {"id": "no", "type": "deny", "config": {"reason": "Closed."}}]`
	edges := `edges=[{"from": "start", "to": "no"}]`
	of := "name=risky"
	ada.fill(flowsPage+"/edit", of, version, "description=", "nodes=[{", edges).shows(http.StatusUnprocessableEntity, "This is not valid JSON", "[{")
	ada.fill(flowsPage+"/edit", of, version, "description=", "nodes={}", edges).shows(http.StatusUnprocessableEntity, "Error: Edit risky")
	ada.fill(flowsPage+"/edit", of, version, "description=Closed", nodes, edges).goes(page).follow().shows(http.StatusOK, "The flow was updated.", "Version 2", "Closed")
	ada.get(page+"/edit").fill(flowsPage+"/edit", of, version, "description=", nodes, edges).shows(http.StatusUnprocessableEntity, "Error: Edit risky")
	bob := guest(t, h, ada, "member")
	for _, path := range []string{page + "/edit", page + "/delete"} {
		bob.get(path).shows(http.StatusNotFound)
	}
	bob.get(workspacesPage).fill(flowsPage+"/delete", of).shows(http.StatusForbidden)
	ada.fill(flowsPage+"/enable", of, "force=1").goes(page).follow().shows(http.StatusOK, "Enabled")
	version = ada.get(page + "/edit").hidden("version")
	other := strings.Replace(nodes, "Closed.", "Gone.", 1)
	ada.fill(flowsPage+"/edit", of, version, "description=", other, edges).shows(http.StatusUnprocessableEntity, "Save even if it denies me", "Gone.")
	ada.fill(flowsPage+"/edit", of, version, "description=", other, edges, "force=1").goes(page).follow().shows(http.StatusOK, "Version 3")

	ada.get(page+"/delete").shows(http.StatusOK, "Delete this flow?", "risky", "The flow is enabled")
	ada.fill(flowsPage+"/delete", of).goes(flowsPage).follow().shows(http.StatusOK, "The flow was deleted.", "No flows yet.")
	ada.get(page).shows(http.StatusNotFound)

	root := visit(t, h)
	h.Superadmin().Do("FLOW.CREATE", harness.P{"scope": "instance", "name": "slow", "template": "slow-down-addresses"}).OK()
	root.get("/login").fill("/login", "email="+harness.AdminEmail, "password="+harness.Password).goes("/account")
	root.get(flowsPage+"/named/slow?scope=instance").click(flowsPage+"/named/slow/edit?scope=instance").shows(http.StatusOK, "Edit slow")
	root.get(flowsPage+"/named/slow?scope=instance").click(flowsPage+"/named/slow/delete?scope=instance").shows(http.StatusOK, "Delete this flow?")
	root.fill(flowsPage+"/delete?scope=instance", "name=slow").goes(flowsPage+"?scope=instance").follow().shows(http.StatusOK, "The flow was deleted.")
}

// The navigation shows what administrators need to them alone. Others find what is for
// developers among their workspaces.
func TestNavigationOfEndUsers(t *testing.T) {
	t.Parallel()
	h := service(t)
	offered := func(b *browser, path string, want bool) {
		t.Helper()
		b.get("/account").shows(http.StatusOK, "Profile", "Security", "Sessions", "Notices")
		for _, section := range []string{"keys", "webhooks", "flows"} {
			if got := strings.Contains(b.page.body, `href="/account/`+section+`"`); got != want {
				t.Errorf("%s: %s is offered: %v", path, section, got)
			}
		}
	}
	ada := visit(t, h).signUp("ada@example.com")
	offered(ada, "in a personal workspace", false)
	ada.get(workspacesPage).click("/account/webhooks").shows(http.StatusOK, `Webhooks`).found(regexp.MustCompile(`(<a href="/account/webhooks" aria-current="page">)`))
	ada.get(workspacesPage).click("/account/keys").shows(http.StatusOK, "API keys")
	ada.team("Acme")
	offered(ada, "the owner of a workspace", true)
	bob := guest(t, h, ada, "member")
	offered(bob, "a member", false)
	h.Superadmin().Do("USER.ME", nil).OK()
	root := visit(t, h)
	root.get("/login").fill("/login", "email="+harness.AdminEmail, "password="+harness.Password)
	offered(root, "a superadmin", true)
}
