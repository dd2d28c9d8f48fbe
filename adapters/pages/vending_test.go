package pages_test

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

const licencesPage = "/account/licences"

var (
	keyShown    = regexp.MustCompile(`id="made">(LIC-[^<]+)<`)
	freePlace   = regexp.MustCompile(`href="(/account/licences/free/lic_[^"]+/mch_[^"]+)"`)
	place       = regexp.MustCompile(`name="place" value="([^"]+)"`)
	inWorkspace = regexp.MustCompile(`name="org_id" value="([^"]+)"`)
	policyID    = regexp.MustCompile(`<option value="(lpo_[^"]+)"`)
	machineID   = regexp.MustCompile(`name="machine_id" value="([^"]+)"`)
	productID   = regexp.MustCompile(`<option value="(prd_[^"]+)"`)
)

func TestVendingPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	ada.get(licencesPage).shows(http.StatusOK, "There are none yet", "Issued", "Products", "Policies", "Features")
	products := licencesPage + "/products"
	ada.get(products+"/new").fill(products+"/new", "name=Drafting", "slug=Not A Slug").shows(http.StatusUnprocessableEntity, "Error: New product")
	ada.fill(products+"/new", "name=Drafting <b>", "slug=drafting", "description=For plans").goes(products).follow().
		shows(http.StatusOK, "The product was made.", "Drafting <b>", "For plans").lacks("Drafting <b>")
	ada.get(products+"?q=draf").shows(http.StatusOK, "For plans")
	ada.get(products + "?q=other").lacks("For plans")

	policies := licencesPage + "/policies"
	ada.get(policies+"/new").fill(policies+"/new", "name=Standard", "max_machines=many").shows(http.StatusUnprocessableEntity, "Error: New licence policy")
	ada.fill(policies+"/new", "name=Standard", "duration_days=30", "max_machines=2", "seats=3", "offline_days=7").goes(policies).follow().
		shows(http.StatusOK, "For 30 days, on 2 machines, with 3 named seats, 7 days offline.")

	issued := licencesPage + "/issued"
	id := ada.get(issued + "/new").found(productID)
	ada.fill(issued+"/new", "product_id="+id, "seats=2", "max_machines=1")
	page := ada.page.to
	ada.follow().shows(http.StatusOK, "At most 1 machine at once", "2 people may use it", "It is used on none")
	key := ada.found(keyShown)
	ada.get(page).lacks(key)
	h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", harness.P{"key": key, "machine": "m1", "name": "Workshop"}).OK()
	ada.get(issued+"?q=drafting&status=active").shows(http.StatusOK, "never used").lacks("There are none")
	ada.get(issued+"?q=drafting&status=revoked").shows(http.StatusOK, "There are none like this")
	ada.get(issued + "?q=" + key).goes(page)
	ada.get(issued + "?q=no-such-product").goes(issued)
	free := ada.get(page).shows(http.StatusOK, "Workshop").found(freePlace)
	where := ada.get(free).shows(http.StatusOK, "Workshop").found(place)
	ada.fill(licencesPage+"/free", "place="+where, "org_id="+ada.found(inWorkspace)).goes(page).follow().
		shows(http.StatusOK, "The place is free.", "It is used on none")
	of := "license_id=" + strings.TrimPrefix(page, licencesPage+"/")
	ada.lacks("Without network")
	ada.fill(licencesPage+"/seats/give", of, "email=eve@example.com").goes(page).follow().shows(http.StatusOK, "eve@example.com")
	ada.fill(licencesPage+"/seats/take", of, "seat_email=eve@example.com").goes(page).follow().lacks("eve@example.com")
	ada.fill(issued+"/suspend", of).goes(page).follow().shows(http.StatusOK, "suspended", "Reinstate")
	ada.fill(issued+"/reinstate", of).goes(page).follow().shows(http.StatusOK, "Suspend")
	ada.get(issued+strings.TrimPrefix(page, licencesPage)+"/revoke").shows(http.StatusOK, "It never holds again")
	ada.fill(issued+"/revoke", of).goes(page).follow().shows(http.StatusOK, "revoked").lacks("Reinstate", "Suspend<")

	eve := visit(t, h).signUp("eve@example.com")
	eve.get(page).shows(http.StatusNotFound)
	eve.get(licencesPage).shows(http.StatusOK, "There are none yet")
}

// A licence file is downloaded for a machine of the licence, or for one that is typed in.
func TestLicenceFilePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	products, policies, issued := licencesPage+"/products", licencesPage+"/policies", licencesPage+"/issued"
	ada.get(products+"/new").fill(products+"/new", "name=Drafting", "slug=drafting").goes(products)
	ada.get(policies+"/new").fill(policies+"/new", "name=Standard", "offline_days=7", "max_machines=2").goes(policies)
	ada.get(issued + "/new")
	ada.fill(issued+"/new", "product_id="+ada.found(productID), "policy_id="+ada.found(policyID))
	page := ada.page.to
	key := ada.follow().shows(http.StatusOK, "Without network", "for 7 days").found(keyShown)
	h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", harness.P{"key": key, "machine": " m1 ", "name": "Workshop"}).OK()
	id := strings.TrimPrefix(page, licencesPage+"/")
	of := "license_id=" + id
	on := "machine_id=" + ada.get(page).shows(http.StatusOK, "Download the licence file of Workshop").found(machineID)
	for _, asked := range []struct{ field, machine string }{{on, " m1 "}, {"machine=carried over", "carried over"}} {
		ada.get(page).fill(licencesPage+"/file", of, asked.field)
		if header := ada.page.header; ada.page.status != http.StatusOK || header.Get("Content-Disposition") != `attachment; filename="`+id+`.jws"` || header.Get("Cache-Control") != "no-store" {
			t.Fatalf("the file of %s: %d %v %s", asked.field, ada.page.status, header, ada.page.body)
		}
		_, payload, _ := strings.Cut(ada.page.body, ".")
		payload, _, _ = strings.Cut(payload, ".")
		said, err := base64.RawURLEncoding.DecodeString(payload)
		if err != nil || !strings.Contains(string(said), `"machine":"`+asked.machine+`"`) {
			t.Errorf("the file of %s says %s (%v)", asked.field, said, err)
		}
	}
	ada.get(page).fill(licencesPage+"/file", of, "machine=third").goes(page).follow().shows(http.StatusOK, "Every place is taken.")
	ada.fill(licencesPage+"/file", of, "machine=").shows(http.StatusUnprocessableEntity, "Error: ")
	ada.get(page).fill(licencesPage+"/file", of, "machine_id=mch_none").shows(http.StatusNotFound)
	eve := visit(t, h).signUp("eve@example.com")
	eve.get("/account").fill(licencesPage+"/file", of, on).shows(http.StatusNotFound)
}

func TestFeaturePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	features := licencesPage + "/features"
	ada.get(features+"/new").fill(features+"/new", "key=Not A Key", "type=bool", "default=true").shows(http.StatusUnprocessableEntity, "Error: New feature")
	ada.fill(features+"/new", "key=export.pdf", "type=bool", "default=true", "description=Saves PDF").goes(features).follow().
		shows(http.StatusOK, "export.pdf", "Saves PDF", "Otherwise", "0 rules")
	ada.fill(features+"/new", "key=seats", "type=int", "default=few").shows(http.StatusUnprocessableEntity, "Must be a whole number")
	ada.fill(features+"/switch", "key=export.pdf", "enabled=false").goes(features).follow().shows(http.StatusOK, "Off", "Switch on")
	ada.get(features + "?q=other").lacks("Saves PDF")
}
