package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// People see who acts as them, stop it, and allow it for a while.
func TestSupportAccess(t *testing.T) {
	t.Parallel()
	const path = "/account/sessions/support"
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/sessions").shows(http.StatusOK, "Support access").lacks("Support, acting as you")
	b.get(path).shows(http.StatusOK, "Support has not acted as you.")
	root := h.Superadmin()
	ada := root.Do("USER.LIST", harness.P{"query": "ada@example.com"}).OK().List("items")[0]["id"]
	begin := func() *harness.Actor {
		t.Helper()
		begun := root.Do("IMPERSONATION.START", harness.P{"user_id": ada, "reason": "Ticket <4711>", "read_only": true}).OK()
		return h.With(begun.String("access_token"))
	}
	as := begin()
	b.get("/account/sessions").shows(http.StatusOK, "Support, acting as you")
	b.get("/account/notices").shows(http.StatusOK, "Support is acting as you", path)
	b.get(path).shows(http.StatusOK, "Ticket <4711>", "Read only", "Now", "UTC")
	id := root.Do("IMPERSONATION.LIST", nil).OK().List("items")[0]["id"].(string)
	b.fill(path+"/stop", "id="+id).goes(path).follow().shows(http.StatusOK, "Support no longer acts as you.").lacks(path + "/stop")
	as.Do("USER.ME", nil).Fails(fault.Auth)
	b.fill(path+"/allow", "for=day").goes(path).follow().shows(http.StatusOK, "Support can act as you for a day.", "Allowed until", "Stop allowing")
	until := h.Clock.Now().UTC().Add(24 * time.Hour).Format("January 2, 2006, 15:04 UTC")
	if !strings.Contains(b.page.body, until) {
		t.Errorf("it is not said that it is allowed until %s", until)
	}
	as = begin()
	b.get(path).fill(path+"/allow").goes(path).follow().shows(http.StatusOK, "You no longer allow support to act as you.", "Allow for")
	as.Do("USER.ME", nil).Fails(fault.Auth)
	b.fill(path+"/allow", "for=ever").goes(path).follow().shows(http.StatusOK, "no longer allow support")
}

// The page of others is none of a stranger's, and stops nothing of theirs.
func TestSupportAccessOfOthers(t *testing.T) {
	t.Parallel()
	const path = "/account/sessions/support"
	h := service(t)
	ada := h.SignUp("ada@example.com")
	begun := h.Superadmin().Do("IMPERSONATION.START", harness.P{"user_id": ada.UserID, "reason": "Ticket 4711"}).OK()
	b := visit(t, h).signUp("eve@example.com")
	b.get(path).shows(http.StatusOK, "Support has not acted as you.")
	b.send(http.MethodPost, path+"/stop", nil).shows(http.StatusForbidden, "expired")
	b.get(path).fill(path+"/allow", "for=hour")
	h.With(begun.String("access_token")).Do("USER.ME", nil).OK()
	visit(t, h).get(path).goes("/login?return_to=%2Faccount%2Fsessions%2Fsupport")
}
