package pages_test

import (
	"net/http"
	"regexp"
	"testing"
)

func TestDomainPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	ada.team("Acme")
	page := workspacesPage + "/domains"
	ada.get(page).shows(http.StatusOK, "No domains yet.", "Add domain")
	ada.get(page+"/new").shows(http.StatusOK, "Role for new members").lacks("<option>admin", "<option>owner")
	ada.fill(page+"/new", "domain=gmail.com").shows(http.StatusUnprocessableEntity, "Belongs to a public email provider")
	ada.fill(page+"/new", "domain=acme.example", "auto_join=1", "role=member").goes(page).
		follow().shows(http.StatusOK, "acme.example", "Not verified", "People join as member.", "_gatehouse-challenge.acme.example")
	value := ada.found(regexp.MustCompile(`<code>(gatehouse-verification=[^<]+)`))
	id := ada.found(regexp.MustCompile(`name="domain_id" value="([^"]+)"`))
	h.DNS.Publish("another.example")
	ada.fill(page+"/verify", "domain_id="+id).shows(http.StatusUnprocessableEntity, "TXT record not found.").lacks("TEAM.")
	h.DNS.Publish("_gatehouse-challenge.acme.example", value)
	ada.fill(page+"/verify", "domain_id="+id).goes(page).follow().shows(http.StatusOK, "acme.example is verified.", "Verified").lacks(value)
	ada.get(page+"/"+id).shows(http.StatusOK, "acme.example").found(regexp.MustCompile(`(name="auto_join" value="1" checked)`))
	ada.fill(page+"/change", "domain_id="+id, "role=admin").shows(http.StatusUnprocessableEntity, "Must not grant members:write or more")
	ada.fill(page+"/change", "domain_id="+id, "role=member").goes(page).follow().shows(http.StatusOK, "Automatic joining is disabled.")
	ada.get(page+"/"+id+"/remove").shows(http.StatusOK, "Remove this domain?", "acme.example")
	ada.fill(page+"/remove", "domain_id="+id).goes(page).follow().shows(http.StatusOK, "The domain was removed.", "No domains yet.")
	ada.get(page + "/" + id + "/remove").shows(http.StatusNotFound)

	bob := guest(t, h, ada, "member")
	bob.get(workspacesPage).shows(http.StatusOK, "Acme").lacks(">Domains<")
	bob.get(page).shows(http.StatusForbidden)
	bob.get(page + "/new").shows(http.StatusNotFound)
}
