package pages_test

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

const licensesPage = "/account/licenses"

var (
	keyShown    = regexp.MustCompile(`id="made">(LIC-[^<]+)<`)
	freePlace   = regexp.MustCompile(`href="(/account/licenses/free/lic_[^"]+/mch_[^"]+)"`)
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
	ada.get(licensesPage).shows(http.StatusOK, "No licenses yet", "Issued", "Products", "Policies", "Features")
	ada.get("/account/licences").goes(licensesPage)
	ada.get("/account/licences/issued?q=draf").goes(licensesPage + "/issued?q=draf")
	ada.get("/account/licences/%2569ssued").shows(http.StatusNotFound) // as a path that was sent encoded arrives
	visit(t, h).get("/account/licences/%2569ssued").shows(http.StatusNotFound)
	products := licensesPage + "/products"
	ada.get(products+"/new").fill(products+"/new", "name=Drafting", "slug=Not A Slug").shows(http.StatusUnprocessableEntity, "Error: New product")
	ada.fill(products+"/new", "name=Drafting <b>", "slug=drafting", "description=For plans").goes(products).follow().
		shows(http.StatusOK, "The product was created.", "Drafting <b>", "For plans").lacks("Drafting <b>")
	ada.get(products+"?q=draf").shows(http.StatusOK, "For plans")
	ada.get(products + "?q=other").lacks("For plans")

	policies := licensesPage + "/policies"
	ada.get(policies+"/new").fill(policies+"/new", "name=Standard", "max_machines=many").shows(http.StatusUnprocessableEntity, "Error: New license policy")
	ada.fill(policies+"/new", "name=Standard", "duration_days=30", "max_machines=2", "seats=3", "offline_days=7").goes(policies).follow().
		shows(http.StatusOK, "Valid for 30 days, on 2 machines, with 3 named seats, 7 days offline.")

	issued := licensesPage + "/issued"
	id := ada.get(issued + "/new").found(productID)
	ada.fill(issued+"/new", "product_id="+id, "seats=2", "max_machines=1")
	page := ada.page.to
	ada.follow().shows(http.StatusOK, "At most 1 active machine.", "2 people may use it", "No machines yet")
	key := ada.found(keyShown)
	ada.get(page).lacks(key)
	h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", harness.P{"key": key, "machine": "m1", "name": "Workshop"}).OK()
	ada.get(issued+"?q=drafting&status=active").shows(http.StatusOK, "never used").lacks("No matching licenses")
	ada.get(issued+"?q=drafting&status=revoked").shows(http.StatusOK, "No matching licenses.")
	ada.get(issued + "?q=" + key).goes(page)
	ada.get(issued + "?q=no-such-product").goes(issued)
	free := ada.get(page).shows(http.StatusOK, "Workshop").found(freePlace)
	where := ada.get(free).shows(http.StatusOK, "Workshop").found(place)
	ada.fill(licensesPage+"/free", "place="+where, "org_id="+ada.found(inWorkspace)).goes(page).follow().
		shows(http.StatusOK, "The machine was deactivated.", "No machines yet")
	of := "license_id=" + strings.TrimPrefix(page, licensesPage+"/")
	ada.lacks("Offline use")
	ada.fill(licensesPage+"/seats/give", of, "email=eve@example.com").goes(page).follow().shows(http.StatusOK, "eve@example.com")
	ada.fill(licensesPage+"/seats/take", of, "seat_email=eve@example.com").goes(page).follow().lacks("eve@example.com")
	ada.fill(issued+"/suspend", of).goes(page).follow().shows(http.StatusOK, "suspended", "Reinstate")
	ada.fill(issued+"/reinstate", of).goes(page).follow().shows(http.StatusOK, "Suspend")
	ada.get(issued+strings.TrimPrefix(page, licensesPage)+"/revoke").shows(http.StatusOK, "permanently invalid")
	ada.fill(issued+"/revoke", of).goes(page).follow().shows(http.StatusOK, "revoked").lacks("Reinstate", "Suspend<")

	eve := visit(t, h).signUp("eve@example.com")
	eve.get(page).shows(http.StatusNotFound)
	eve.get(licensesPage).shows(http.StatusOK, "No licenses yet")
}

// A license file can be downloaded for a registered machine, or for a fingerprint.
func TestLicenseFilePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	products, policies, issued := licensesPage+"/products", licensesPage+"/policies", licensesPage+"/issued"
	ada.get(products+"/new").fill(products+"/new", "name=Drafting", "slug=drafting").goes(products)
	ada.get(policies+"/new").fill(policies+"/new", "name=Standard", "offline_days=7", "max_machines=2").goes(policies)
	ada.get(issued + "/new")
	ada.fill(issued+"/new", "product_id="+ada.found(productID), "policy_id="+ada.found(policyID))
	page := ada.page.to
	key := ada.follow().shows(http.StatusOK, "Offline use", "for 7 days").found(keyShown)
	h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", harness.P{"key": key, "machine": " m1 ", "name": "Workshop"}).OK()
	id := strings.TrimPrefix(page, licensesPage+"/")
	of := "license_id=" + id
	on := "machine_id=" + ada.get(page).shows(http.StatusOK, "Download the license file for Workshop").found(machineID)
	for _, asked := range []struct{ field, machine string }{{on, " m1 "}, {"machine=carried over", "carried over"}} {
		ada.get(page).fill(licensesPage+"/file", of, asked.field)
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
	ada.get(page).fill(licensesPage+"/file", of, "machine=third").goes(page).follow().shows(http.StatusOK, "All activations are in use.")
	ada.fill(licensesPage+"/file", of, "machine=").shows(http.StatusUnprocessableEntity, "Error: ")
	ada.get(page).fill(licensesPage+"/file", of, "machine_id=mch_none").shows(http.StatusNotFound)
	eve := visit(t, h).signUp("eve@example.com")
	eve.get("/account").fill(licensesPage+"/file", of, on).shows(http.StatusNotFound)
}

func TestFeaturePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	features := licensesPage + "/features"
	ada.get(features+"/new").fill(features+"/new", "key=Not A Key", "type=bool", "default=true").shows(http.StatusUnprocessableEntity, "Error: New feature")
	ada.fill(features+"/new", "key=export.pdf", "type=bool", "default=true", "description=Saves PDF").goes(features).follow().
		shows(http.StatusOK, "export.pdf", "Saves PDF", "Default", "0 rules")
	ada.fill(features+"/new", "key=seats", "type=int", "default=few").shows(http.StatusUnprocessableEntity, "Must be a whole number")
	ada.fill(features+"/switch", "key=export.pdf", "enabled=false").goes(features).follow().shows(http.StatusOK, "Disabled", "Enable export.pdf")
	ada.get(features + "?q=other").lacks("Saves PDF")
}

var (
	changeProduct = regexp.MustCompile(`href="(/account/licenses/products/prd_[^"]+)"`)
	changePolicy  = regexp.MustCompile(`href="(/account/licenses/policies/lpo_[^"]+)"`)
)

// Objects are changed on pages; fields that were not submitted stay unchanged.
func TestVendingChanges(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	products, policies, issued := licensesPage+"/products", licensesPage+"/policies", licensesPage+"/issued"
	ada.get(products+"/new").fill(products+"/new", "name=Drafting", "slug=drafting", "features=export.pdf = true\r\nseats.max = 5").goes(products)
	product := ada.follow().found(changeProduct)
	ada.get(policies+"/new").fill(policies+"/new", "name=Standard", "max_machines=2", "meters=exports = 10 a month deny").goes(policies)
	policy := ada.follow().found(changePolicy)

	ada.get(product).shows(http.StatusOK, "Edit product", "export.pdf = true\nseats.max = 5", "drafting")
	id := "product_id=" + strings.TrimPrefix(product, products+"/")
	ada.fill(products+"/change", id, "name=Drafting", "features=Not a key = 1").shows(http.StatusUnprocessableEntity, "Error: Edit product")
	ada.fill(products+"/change", id, "name=Drafting Table", "features=export.pdf = false", "public=1").goes(products).follow().
		shows(http.StatusOK, "The product was updated.", "Drafting Table", "Public")

	ada.get(policy).shows(http.StatusOK, "Edit policy", "exports = 10 a month deny")
	of := "policy_id=" + strings.TrimPrefix(policy, policies+"/")
	ada.fill(policies+"/change", of, "name=Standard", "seats=many").shows(http.StatusUnprocessableEntity, "Error: Edit policy")
	ada.fill(policies+"/change", of, "name=Standard", "max_machines=3", "offline_days=7", "on_expiry=grace", "grace_days=2", "apply=1").goes(policies).follow().
		shows(http.StatusOK, "Its licenses follow", "on 3 machines", "7 days offline")

	ada.get(issued + "/new")
	ada.fill(issued+"/new", "product_id="+ada.found(productID), "policy_id="+ada.found(policyID), "seats=2", "expires_at=2099-12-31")
	page := ada.page.to
	key := ada.follow().shows(http.StatusOK, "Change", "Replace key").found(keyShown)
	license := "license_id=" + strings.TrimPrefix(page, licensesPage+"/")
	change := issued + strings.TrimPrefix(page, licensesPage) + "/change"
	ada.get(change).shows(http.StatusOK, "Edit license", "2099-12-31")
	ada.fill(issued+"/change", license, "seats=some").shows(http.StatusUnprocessableEntity, "Error: Edit license")
	ada.fill(issued+"/change", license, "seats=4", "max_machines=3", "offline_days=7", "expires_at=2099-12-31").goes(page).follow().
		shows(http.StatusOK, "The license was updated.", "4 people may use it")
	ada.get(issued+strings.TrimPrefix(page, licensesPage)+"/rotate").shows(http.StatusOK, "The current key stops working")
	ada.fill(issued+"/rotate", license).goes(page)
	if next := ada.follow().found(keyShown); next == key {
		t.Error("the new key is the one before")
	}
	if got := h.Anonymous().Do("LICENSE.VALIDATE", harness.P{"key": key}).OK().String("code"); got != "unknown" {
		t.Errorf("the key before is %s", got)
	}

	ada.get(policy+"/delete").shows(http.StatusOK, "Delete this policy?")
	ada.fill(policies+"/delete", of).goes(policies).follow().shows(http.StatusOK, "Standard")
	ada.get(product+"/delete").shows(http.StatusOK, "Delete this product?")
	ada.fill(products+"/delete", id).goes(products).follow().shows(http.StatusOK, "Drafting Table")

	eve := visit(t, h).signUp("eve@example.com")
	for _, foreign := range []string{product, policy, change} {
		eve.get(foreign).shows(http.StatusNotFound)
	}
}
