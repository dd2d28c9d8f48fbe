package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// A guest with an account signs in and accepts; one without signs up, even if
// registration is closed. The sender's message is escaped.
func TestInvitation(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUpVerified("ada@example.com")
	ada.Do("USER.UPDATE", harness.P{"display_name": "Ada Lovelace"}).OK()
	invite := func(address string) string {
		ada.Do("TEAM.INVITE", harness.P{"email": address, "role": "admin", "message": "<b>Hi</b>"}).OK()
		return strings.TrimPrefix(h.LastMail(address).Link(), harness.Issuer)
	}
	h.SignUp("grace@example.com")
	page := invite("grace@example.com")
	token := "token=" + h.LastMail("grace@example.com").Token()
	visit(t, h).get("/login").fill("/invitation", token).goes("/login?return_to=%2Finvitation%3Ftoken%3D" + strings.TrimPrefix(token, "token="))
	b := visit(t, h).get(page).shows(http.StatusOK, "Ada Lovelace", "Personal workspace", "admin", "grace@example.com", "<b>Hi</b>", "Create an account")
	b.lacks("<b>Hi")
	b.get("/login?return_to="+strings.ReplaceAll(page, "?", "%3F")).fill("/login", "email=grace@example.com", "password="+harness.Password).goes(page)
	b.get(page).shows(http.StatusOK, "grace@example.com", "Accept invitation")
	b.fill("/invitation", token).goes("/account/workspaces").follow().shows(http.StatusOK, "You are now a member of Personal workspace.")
	b.get(page).shows(http.StatusOK, "no longer valid").lacks("Ada Lovelace")

	page = invite("bob@example.com")
	wrong := visit(t, h)
	wrong.get("/login").fill("/login", "email=grace@example.com", "password="+harness.Password)
	wrong.get(page).fill("/invitation", "token="+h.LastMail("bob@example.com").Token()).shows(http.StatusUnprocessableEntity, "another email address")
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": false}}).OK()
	guest := visit(t, h).get(page)
	guest.get("/signup?return_to="+strings.ReplaceAll(page, "?", "%3F")).shows(http.StatusOK, "Create your account")
	guest.fill("/signup", "display_name=Bob", "email=bob@example.com", "password="+harness.Password).goes("/account").
		follow().shows(http.StatusOK, "you are a member of the workspace")
	if got := ada.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 3 {
		t.Errorf("%d belong to the workspace", len(got))
	}
	visit(t, h).get("/invitation").shows(http.StatusOK, "no longer valid")
}

// An invited person signs in by a mailed code or link and joins the workspace, with an
// account or without; others sign in as usual.
func TestInvitedByMailedCode(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUpVerified("ada@example.com")
	bob := h.SignUp("bob@example.com")
	bob.Do("AUTH.VERIFY_EMAIL", harness.P{"token": h.LastMail("bob@example.com").Token()}).OK()
	begin := func(address string) *browser {
		ada.Do("TEAM.INVITE", harness.P{"email": address, "role": "member"}).OK()
		page := strings.TrimPrefix(h.LastMail(address).Link(), harness.Issuer)
		return visit(t, h).get("/login?return_to=" + strings.ReplaceAll(page, "?", "%3F"))
	}
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": false}}).OK()
	for _, address := range []string{"bob@example.com", "guest@example.com"} {
		b := begin(address).fill("/login/code", "email="+address).goes("/login/code").follow()
		b.fill("/login/code/verify", "code="+h.LastMail(address).Code()).goes("/account/workspaces").follow().shows(http.StatusOK, "member")
	}
	other := begin("third@example.com").fill("/login/code", "email=bob@example.com").goes("/login/code").follow()
	other.fill("/login/code/verify", "code="+h.LastMail("bob@example.com").Code())
	if to := other.page.to; !strings.HasPrefix(to, "/invitation?token=") {
		t.Errorf("who signs in by another address goes to %q", to)
	}
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"email_codes": false}}).OK()
	linked := begin("linked@example.com").fill("/login/code", "email=linked@example.com").goes("/login")
	link := h.LastMail("linked@example.com")
	linked.get(strings.TrimPrefix(link.Link(), harness.Issuer)).fill("/login/link", "token="+link.Token()).goes("/account/workspaces")
	if got := ada.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 4 {
		t.Errorf("%d belong to the workspace", len(got))
	}
}

// The invited address is filled in where the mail leads to, and whoever accepts is in the
// workspace that invites: by the form, by signing up, and by a mailed code.
func TestInvitedIntoTheWorkspace(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	ada.Do("AUTH.VERIFY_EMAIL", harness.P{"token": h.LastMail("ada@example.com").Token()}).OK()
	org := ada.Do("TEAM.CREATE", harness.P{"name": "Engines"}).OK().String("organization.id")
	invite := func(address string) *browser {
		ada.Do("TEAM.INVITE", harness.P{"org_id": org, "email": address, "role": "member"}).OK()
		return visit(t, h).get(strings.TrimPrefix(h.LastMail(address).Link(), harness.Issuer)).shows(http.StatusOK, "Engines")
	}
	filled := func(b *browser, path, address string) *browser {
		b.click(path)
		if !strings.Contains(b.page.body, `value="`+address+`"`) {
			t.Errorf("%s is not filled in at %s: %s", address, path, b.page.body)
		}
		return b
	}
	h.SignUp("grace@example.com")
	grace := invite("grace@example.com")
	token := "token=" + h.LastMail("grace@example.com").Token()
	filled(grace, "/login", "grace@example.com")
	grace.fill("/login", "email=grace@example.com", "password=wrong").shows(http.StatusUnprocessableEntity, "grace@example.com")
	grace.fill("/login", "email=grace@example.com", "password="+harness.Password).follow().shows(http.StatusOK, "Accept invitation")
	grace.fill("/invitation", token).goes("/account/workspaces").follow().shows(http.StatusOK, "You are now a member of Engines.")

	bob := filled(invite("bob@example.com"), "/signup", "bob@example.com")
	bob.fill("/signup", "display_name=Bob", "email=bob@example.com", "password="+harness.Password).goes("/account").follow().shows(http.StatusOK, "you are a member of the workspace")

	coded := filled(invite("carl@example.com"), "/login", "carl@example.com").fill("/login/code", "email=carl@example.com").follow()
	coded.fill("/login/code/verify", "code="+h.LastMail("carl@example.com").Code()).goes("/account/workspaces").follow().shows(http.StatusOK, "You are now in Engines.")
	for name, b := range map[string]*browser{"grace": grace, "bob": bob, "carl": coded} {
		b.get("/account").shows(http.StatusOK)
		if !strings.Contains(b.page.body, "Engines</span>") {
			t.Errorf("%s is elsewhere: %s", name, b.page.body)
		}
	}
}
