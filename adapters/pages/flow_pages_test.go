package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

const flowsPage = "/account/flows"

var litNode = regexp.MustCompile(`<g class="node ([a-z_]+) lit"`)

// lit returns the types of the highlighted nodes, in graph order.
func (b *browser) lit() string {
	var types []string
	for _, one := range litNode.FindAllStringSubmatch(b.page.body, -1) {
		types = append(types, one[1])
	}
	return strings.Join(types, " ")
}

func TestFlowPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	ada.get(flowsPage).shows(http.StatusOK, "No flows yet.", "Flows", "Create flow").lacks("Instance flows")
	ada.get(flowsPage+"/new").shows(http.StatusOK, "Requires a second factor from everybody with a role", "deny-high-risk")
	ada.fill(flowsPage+"/new", "name=Not A Slug", "template=deny-high-risk").shows(http.StatusUnprocessableEntity, "Error: New flow").
		found(regexp.MustCompile(`(value="deny-high-risk" required checked)`))
	page := flowsPage + "/named/risky"
	ada.fill(flowsPage+"/new", "name=risky", "template=deny-high-risk", "description=Keeps <b>them</b> out").goes(page).follow().
		shows(http.StatusOK, "no effect until you enable it", "Keeps <b>them</b> out", "Enable", "No runs yet.", "risk score").lacks("<b>them")
	if got := ada.lit(); got != "" {
		t.Errorf("%s is lit before any test", got)
	}
	of := "name=risky"
	ada.fill(flowsPage+"/test", of, "param.risk.score=80").shows(http.StatusOK, "Denied", "This attempt does not look like you.").found(regexp.MustCompile(`(name="param.risk.score" type="text" value="80")`))
	if got, want := ada.lit(), "start risk_score deny"; got != want {
		t.Errorf("lit are %q, want %q", got, want)
	}
	ada.fill(flowsPage+"/test", of, "param.risk.score=40", "param.user.roles=admin\nowner").shows(http.StatusOK, "Second factor")
	if got, want := ada.lit(), "start risk_score risk_score require_mfa"; got != want {
		t.Errorf("lit are %q, want %q", got, want)
	}
	ada.fill(flowsPage+"/test", of, "param.risk.score=high").shows(http.StatusUnprocessableEntity, "Error: risky", "Must be a whole number")
	ada.fill(flowsPage+"/enable", of).goes(page).follow().shows(http.StatusOK, "The flow is enabled", "Enabled")
	ada.get(flowsPage).shows(http.StatusOK, "risky").found(regexp.MustCompile(`class="tag good">(Enabled)<`))
	ada.fill(flowsPage+"/disable", of).goes(page).follow().shows(http.StatusOK, "Disabled")

	bob := guest(t, h, ada, "member")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme).follow().lacks(`href="/account/flows"`)
	for _, path := range []string{flowsPage, page, flowsPage + "/new", flowsPage + "/runs"} {
		bob.get(path).shows(http.StatusNotFound)
	}
	bob.get(workspacesPage).fill(flowsPage+"/enable", of).shows(http.StatusForbidden)
	ada.get(flowsPage + "/named/none").shows(http.StatusNotFound)
}

// An older version is shown, tested and restored; a version that would lock its author
// out needs a confirmation; a run shows its path.
func TestFlowVersionsAndRuns(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	ada.team("Acme")
	owner := h.Login("ada@example.com", harness.Password)
	ada.get(flowsPage+"/new").fill(flowsPage+"/new", "name=office", "template=office-addresses")
	page := flowsPage + "/named/office"
	owner.Do("FLOW.UPDATE", harness.P{"name": "office", "nodes": []any{
		harness.P{"id": "start", "type": "start"}, harness.P{"id": "claim", "type": "set_claim", "config": harness.P{"name": "seen", "expression": "true"}},
	}, "edges": []any{harness.P{"from": "start", "to": "claim"}}}).OK()
	ada.get(page).shows(http.StatusOK, "Version 2", "Roll back", "set claim")
	ada.get(page+"?version=1").shows(http.StatusOK, "(not current)", "IP allowlist", "Sign in from the office.").lacks(">Enable<")
	ada.fill(flowsPage+"/test", "name=office", "version=1").shows(http.StatusOK, "Denied", "(not current)")
	ada.fill(flowsPage+"/enable", "name=office").goes(page).follow()
	ada.fill(flowsPage+"/rollback", "name=office", "version=1").shows(http.StatusUnprocessableEntity, "Error: office")
	ada.fill(flowsPage+"/disable", "name=office").goes(page).follow()
	ada.fill(flowsPage+"/rollback", "name=office", "version=1").goes(page).follow().shows(http.StatusOK, "Version 3")
	ada.fill(flowsPage+"/enable", "name=office").shows(http.StatusUnprocessableEntity, "Enable even if it denies me")
	ada.fill(flowsPage+"/rollback", "name=office", "version=2").goes(page).follow()
	ada.fill(flowsPage+"/enable", "name=office", "force=1").goes(page).follow()

	owner.Do("TEAM.SWITCH", harness.P{"org_id": ada.get(flowsPage + "/new").found(inWorkspace)}).OK()
	run := ada.get(page).shows(http.StatusOK, "Allowed", "sets seen").found(regexp.MustCompile(`href="(/account/flows/runs/run_[^"]+)"`))
	ada.get(run).shows(http.StatusOK, "Run of office", "Open the flow", "ip.version")
	if got, want := ada.lit(), "start set_claim"; got != want {
		t.Errorf("lit are %q, want %q", got, want)
	}
	ada.get(flowsPage+"/runs").shows(http.StatusOK, "office", "Allowed")
	ada.get(flowsPage+"/runs?decision=deny").shows(http.StatusOK, "No runs with this decision.")
	eve := visit(t, h).signUp("eve@example.com")
	eve.get(run).shows(http.StatusNotFound)
	eve.get(page).shows(http.StatusNotFound)
}

// A superadmin also sees the flows of the instance, whose tests use mocked external
// results.
func TestFlowPagesOfTheInstance(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.Superadmin().Do("USER.ME", nil).OK()
	root := visit(t, h)
	root.get("/login").fill("/login", "email="+harness.AdminEmail, "password="+harness.Password).goes("/account")
	root.get(flowsPage+"?scope=instance").shows(http.StatusOK, "Instance flows", "on this instance")
	root.get(flowsPage+"/new?scope=instance").fill(flowsPage+"/new", "scope=instance", "name=slow", "template=slow-down-addresses").goes(flowsPage+"/named/slow?scope=instance").
		follow().shows(http.StatusOK, "External results")
	root.fill(flowsPage+"/test", "name=slow", "scope=instance", "param.check=over").shows(http.StatusOK, "Denied", "wait a minute")
	root.get(flowsPage + "/named/slow").shows(http.StatusNotFound)
}
