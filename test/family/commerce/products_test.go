package commerce_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestProducts(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada, buyer := h.SignUp("ada@example.com"), h.SignUp("buyer@example.com")
		made := ada.Do("PRODUCT.CREATE", P{
			"name": "Drafting Table", "slug": "drafting-table", "features": P{"seats.max": 3, "pdf": true, "tier": "pro"}, "metadata_json": P{"sku": "D-1"},
		}).OK()
		id := made.String("product.id")
		if made.Int("product.grace_days") != 7 || fmt.Sprint(made.Data["product"].(P)["features"]) != "map[pdf:true seats.max:3 tier:pro]" {
			t.Errorf("made %v", made.Data)
		}
		buyer.Do("PRODUCT.CREATE", P{"name": "Another", "slug": "drafting-table"}).Fails(fault.Validation).Field("/slug")
		for path, params := range map[string]P{
			"/features/a": {"features": P{"a": 1.5}}, "/features/role": {"features": P{"role": "owner"}},
			"/slug": {"slug": "Drafting"}, "/processor": {"processor": "cash"}, "/grace_days": {"grace_days": 91},
		} {
			call := P{"name": "Other", "slug": "other"}
			for name, value := range params {
				call[name] = value
			}
			ada.Do("PRODUCT.CREATE", call).Fails(fault.Validation).Field(path)
		}

		buyer.Do("PRODUCT.GET", P{"product_id": id}).Fails(fault.NotFound)
		ada.Do("PRODUCT.UPDATE", P{"product_id": "drafting-table", "public": true, "metadata_json": P{"cost": 5}}).OK()
		ada.Do("PRODUCT.UPDATE", P{"product_id": id, "public": true}).OK()
		if n := len(h.Events("product.updated")); n != 1 {
			t.Errorf("%d changes are told, want 1", n)
		}
		seen := buyer.Do("PRODUCT.GET", P{"product_id": "drafting-table"}).OK()
		if seen.String("product.id") != id || fmt.Sprint(seen.Data["product"].(P)["metadata_json"]) != "map[]" {
			t.Errorf("a buyer sees %v", seen.Data)
		}
		if own := ada.Do("PRODUCT.GET", P{"product_id": id}).OK(); fmt.Sprint(own.Data["product"].(P)["metadata_json"]) != "map[cost:5 sku:D-1]" {
			t.Errorf("its maker sees %v", own.Data)
		}
		ada.Do("PRODUCT.CREATE", P{"name": "Kept back", "slug": "kept-back"}).OK()
		slug := ada.Do("TEAM.GET", nil).String("organization.slug")
		for what, c := range map[string]struct {
			who    *harness.Actor
			params P
			want   string
		}{
			"all":           {ada, nil, "[Kept back Drafting Table]"},
			"by name":       {ada, P{"query": "dRAFT"}, "[Drafting Table]"},
			"archived":      {ada, P{"archived": true}, "[]"},
			"what is sold":  {buyer, P{"org_slug": slug}, "[Drafting Table]"},
			"nothing there": {buyer, P{"org_slug": "nowhere-at-all"}, "[]"},
			"the buyer's":   {buyer, nil, "[]"},
		} {
			var names []string
			for _, one := range c.who.Do("PRODUCT.LIST", c.params).OK().List("items") {
				names = append(names, one["name"].(string))
			}
			if fmt.Sprint(names) != c.want {
				t.Errorf("%s: listed %v, want %s", what, names, c.want)
			}
		}
		buyer.Do("PRODUCT.UPDATE", P{"product_id": id, "name": "Mine"}).Fails(fault.NotFound)
		buyer.Do("PRODUCT.DELETE", P{"product_id": id}).Fails(fault.NotFound)
		ada.Do("LICENSE.ISSUE", P{"product_id": id}).OK()
		ada.Do("PRODUCT.DELETE", P{"product_id": id}).Fails(fault.Validation)
		ada.Do("PRODUCT.DELETE", P{"product_id": "kept-back"}).OK()
		buyer.Do("PRODUCT.CREATE", P{"name": "Kept back", "slug": "kept-back"}).Fails(fault.Validation).Field("/slug")
	})
}

// Whoever buys a product gets the role that it names, so nobody names one that grants more
// than they hold.
func TestTheRoleOfAProduct(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, root := h.SignUp("ada@example.com"), h.Superadmin()
	ada.Do("ROLE.CREATE", P{"name": "seller", "permissions": []string{"products:write", "products:read"}}).OK()
	root.Do("USER.CREATE", P{"email": "sam@example.com", "password": harness.Password, "org_id": ada.OrgID, "role": "seller"}).OK()
	sam := h.Login("sam@example.com", harness.Password)
	sam.Do("PRODUCT.CREATE", P{"name": "P", "slug": "p-1", "org_id": ada.OrgID, "features": P{"role": "admin"}}).Fails(fault.Denied)
	sam.Do("PRODUCT.CREATE", P{"name": "P", "slug": "p-1", "org_id": ada.OrgID, "features": P{"role": "emperor"}}).Fails(fault.Validation).Field("/features/role")
	sam.Do("PRODUCT.CREATE", P{"name": "P", "slug": "p-1", "org_id": ada.OrgID, "features": P{"role": "seller"}}).OK()
	sam.Do("PRODUCT.UPDATE", P{"product_id": "p-1", "org_id": ada.OrgID, "features": P{"role": "admin"}}).Fails(fault.Denied)
	ada.Do("PRODUCT.UPDATE", P{"product_id": "p-1", "features": P{"role": "admin"}}).OK()
}
