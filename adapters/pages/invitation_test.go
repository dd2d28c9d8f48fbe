package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// A guest who has an account signs in and accepts; whoever has none makes one, although
// registration is closed. What the sender wrote is text, and no mark-up.
func TestInvitation(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	ada.Do("USER.UPDATE", harness.P{"display_name": "Ada Lovelace"}).OK()
	invite := func(address string) string {
		ada.Do("TEAM.INVITE", harness.P{"email": address, "role": "admin", "message": "<b>Hi</b>"}).OK()
		return strings.TrimPrefix(h.LastMail(address).Link(), harness.Issuer)
	}
	h.SignUp("grace@example.com")
	page := invite("grace@example.com")
	token := "token=" + h.LastMail("grace@example.com").Token()
	visit(t, h).get("/login").fill("/invitation", token).goes("/login?return_to=%2Finvitation%3Ftoken%3D" + strings.TrimPrefix(token, "token="))
	b := visit(t, h).get(page).shows(http.StatusOK, "Ada Lovelace", "Personal workspace", "admin", "g***@e***.com", "<b>Hi</b>", "Create an account")
	b.lacks("<b>Hi")
	b.get("/login?return_to="+strings.ReplaceAll(page, "?", "%3F")).fill("/login", "email=grace@example.com", "password="+harness.Password).goes(page)
	b.get(page).shows(http.StatusOK, "grace@example.com", "Accept the invitation")
	b.fill("/invitation", token).goes("/account/workspaces").follow().shows(http.StatusOK, "You belong to Personal workspace now.")
	b.get(page).shows(http.StatusOK, "not valid any more").lacks("Ada Lovelace")

	page = invite("bob@example.com")
	wrong := visit(t, h)
	wrong.get("/login").fill("/login", "email=grace@example.com", "password="+harness.Password)
	wrong.get(page).fill("/invitation", "token="+h.LastMail("bob@example.com").Token()).shows(http.StatusUnprocessableEntity, "another address")
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": false}}).OK()
	guest := visit(t, h).get(page)
	guest.get("/signup?return_to="+strings.ReplaceAll(page, "?", "%3F")).shows(http.StatusOK, "Create your account")
	guest.fill("/signup", "display_name=Bob", "email=bob@example.com", "password="+harness.Password).goes("/account").
		follow().shows(http.StatusOK, "you belong to the workspace")
	if got := ada.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 3 {
		t.Errorf("%d belong to the workspace", len(got))
	}
	visit(t, h).get("/invitation").shows(http.StatusOK, "not valid any more")
}
