package pages_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestEveryPageFits for licenses: the pages of who sells software, and of who owns a
// license of it.
func TestEveryPageOfLicensesFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		vendor, owner := browser.NewTab(t, at), browser.NewTab(t, at)
		v, p := instance.Newcomer(), instance.Newcomer()
		vendor.Register(v).Open("/account/licenses").Picture("licenses-empty")
		vendor.Press("Products").Picture("products-empty")
		vendor.Press("Create product").Picture("product-new")
		vendor.Fill("Name", "Drafting Table").Fill("Slug", "drafting").Press("Create product").Sees("The product was created.").Picture("products")
		vendor.Press("Change Drafting Table").Picture("product-change")
		vendor.Fill("Description", "Plans on paper").Fill("Features", "Export PDF! = true").Press("Save").Picture("product-change-refused")
		vendor.Fill("Features", "export.pdf = true").Press("Save").Sees("Plans on paper")
		vendor.Press("Policies").Press("Create policy").Picture("policy-new")
		vendor.Fill("Name", "Standard").Fill("Active machines", "2").Fill("Seats", "3").Press("Create policy").Sees("on 2 machines").Picture("policies")
		vendor.Press("Change Standard").Picture("policy-change")
		vendor.Fill("Active machines", "4").Fill("Features", "export.pdf = true").Press("Save").Sees("on 4 machines")
		vendor.Press("Features").Press("Create feature").Picture("feature-new")
		vendor.Fill("Key", "export.pdf").Fill("Default", "true").Press("Create feature").Sees("export.pdf").Picture("features")
		vendor.Press("Issued").Press("Issue license").Picture("license-new")
		vendor.Fill("Seats", "2").Press("Issue license").Sees("LIC-").Picture("license-made")
		vendor.Fill("Assign a seat by email address", p.Email).Press("Assign seat").Sees(p.Email)
		vendor.Press("Change").Picture("license-change")
		vendor.Fill("Seats", "5").Fill("Features", "export.pdf = false").Press("Save").Sees("5 people may use it.")
		vendor.Press("Issued").Sees("Drafting Table").Picture("issued")

		owner.Register(p)
		seller, buyer := at.Again(v), at.Again(p)
		at.As(seller, "PRODUCT.UPDATE", P{"product_id": "drafting", "public": true}).OK()
		key := at.As(seller, "LICENSE.ISSUE", P{"product_id": "drafting", "user_id": buyer.ID, "seats": 2}).Text("key")
		at.Do(instance.Call{Command: "LICENSE.MACHINE_ACTIVATE", Params: P{"key": key, "machine": "m1", "name": "Workshop", "platform": "linux"}}).OK()
		owner.Open("/account/licenses").Sees("Drafting Table").Picture("licenses")
		owner.Press("Open the license of Drafting Table").Sees("Workshop").Picture("license")
		owner.Press("Deactivate Workshop").Picture("license-free")
		owner.Press("Deactivate machine").Sees("The machine was deactivated.")
	})
}
