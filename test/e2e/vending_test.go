package e2e_test

import (
	"os"
	"testing"
)

// TestEveryPageFits for licences: the pages of who sells software, and of who owns a
// licence of it.
func TestEveryPageOfLicencesFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		vendor, owner := newTab(t, at), newTab(t, at)
		v, p := newcomer(), newcomer()
		vendor.register(v).open("/account/licences").picture("licences-empty")
		vendor.press("Products").picture("products-empty")
		vendor.press("New product").picture("product-new")
		vendor.fill("Name", "Drafting Table").fill("Slug", "drafting").press("Make the product").sees("The product was made.").picture("products")
		vendor.press("Change Drafting Table").picture("product-change")
		vendor.fill("What it is", "Plans on paper").fill("Features", "Export PDF! = true").press("Save").picture("product-change-refused")
		vendor.fill("Features", "export.pdf = true").press("Save").sees("Plans on paper")
		vendor.press("Policies").press("New policy").picture("policy-new")
		vendor.fill("Name", "Standard").fill("Machines at once", "2").fill("Seats", "3").press("Make the policy").sees("on 2 machines").picture("policies")
		vendor.press("Change Standard").picture("policy-change")
		vendor.fill("Machines at once", "4").fill("Features", "export.pdf = true").press("Save").sees("on 4 machines")
		vendor.press("Features").press("New feature").picture("feature-new")
		vendor.fill("Key", "export.pdf").fill("Default", "true").press("Make the feature").sees("export.pdf").picture("features")
		vendor.press("Issued").press("Issue a licence").picture("licence-new")
		vendor.fill("Seats", "2").press("Issue the licence").sees("LIC-").picture("licence-made")
		vendor.fill("Give a seat by e-mail address", p.email).press("Give").sees(p.email)
		vendor.press("Change").picture("licence-change")
		vendor.fill("Seats", "5").fill("Features", "export.pdf = false").press("Save").sees("5 people may use it.")
		vendor.press("Issued").sees("Drafting Table").picture("issued")

		owner.register(p)
		seller, buyer := at.again(v), at.again(p)
		at.as(seller, "PRODUCT.UPDATE", P{"product_id": "drafting", "public": true}).ok()
		key := at.as(seller, "LICENSE.ISSUE", P{"product_id": "drafting", "user_id": buyer.id, "seats": 2}).text("key")
		at.do(call{command: "LICENSE.MACHINE_ACTIVATE", params: P{"key": key, "machine": "m1", "name": "Workshop", "platform": "linux"}}).ok()
		owner.open("/account/licences").sees("Drafting Table").picture("licences")
		owner.press("Open the licence of Drafting Table").sees("Workshop").picture("licence")
		owner.press("Free the place of Workshop").picture("licence-free")
		owner.press("Free the place").sees("The place is free.")
	})
}
