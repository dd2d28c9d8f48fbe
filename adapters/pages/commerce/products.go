package commerce

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
)

func (v *visit) newProduct() error {
	data, err := v.licensingForm(productsTab, "products:write")
	if err != nil {
		return err
	}
	return v.productForm("New product", data)
}

// productForm shows the form of a product.
func (v *visit) productForm(title string, data licensingData) error {
	var err error
	if data.May("licenses:read") {
		data.Policies, err = v.policies()
	}
	if err != nil {
		return err
	}
	data.NoPolicy = "None"
	return v.Show("newproduct", title, data)
}

// productFields returns the names of the product form's fields.
func productFields() []string {
	return []string{"name", "slug", "description", "features", "policy_id"}
}

// productTerms returns the parameters of the product form.
func (v *visit) productTerms() kit.Params {
	return kit.Params{
		"name": v.Form.Text("name"), "description": v.Form.Text("description"),
		"features": readValues(v.Form.Text("features")), "public": v.Form.Has("public", "1"),
	}
}

func (v *visit) createProduct() error {
	p := v.productTerms()
	p["slug"] = v.Form.Text("slug")
	p.Text("license_policy_id", v.Form.Text("policy_id"))
	if err := v.Act("PRODUCT.CREATE", p, nil); err != nil {
		return v.Retry(withFormFields(err), v.newProduct, productFields()...)
	}
	return v.Done("The product was created.", licensesPath+"/products")
}

// someProduct returns the product of the path or the form.
func (v *visit) someProduct() (licensingData, error) {
	data, err := v.licensingForm(productsTab, "products:write")
	if err != nil {
		return data, err
	}
	found, err := v.Me().ProductGet(v.Context(), client.ProductGetParams{ProductID: v.ID("product_id"), OrgID: v.Org()})
	if err == nil && found.Product.OrgID != data.Org { // public products of other workspaces are readable too
		err = kit.ErrNoPage
	}
	data.Product = found.Product
	return data, err
}

func (v *visit) editProduct() error {
	data, err := v.someProduct()
	if err != nil {
		return err
	}
	if one := data.Product; v.Form.Values == nil {
		v.Form.Values = url.Values{
			"name": {one.Name}, "description": {one.Description}, "features": {valueLines(one.Features)}, "policy_id": {one.LicensePolicyID},
		}
		for name, on := range map[string]bool{"public": one.Public, "archived": one.Archived} {
			if on {
				v.Form.Values.Set(name, "1")
			}
		}
	}
	return v.productForm("Edit product", data)
}

func (v *visit) changeProduct() error {
	data, err := v.someProduct()
	if err != nil {
		return err
	}
	p := v.productTerms()
	p["product_id"], p["archived"] = data.Product.ID, v.Form.Has("archived", "1")
	if policy := v.Form.Text("policy_id"); policy != data.Product.LicensePolicyID {
		p["license_policy_id"] = policy
	}
	if err := v.Act("PRODUCT.UPDATE", p, nil); err != nil {
		return v.Retry(withFormFields(err), v.editProduct, productFields()...)
	}
	return v.Done("The product was updated.", licensesPath+"/products")
}

// askProduct asks for confirmation before a product is deleted.
func (v *visit) askProduct() error {
	data, err := v.someProduct()
	if err != nil {
		return err
	}
	return v.Show("question", "Delete this product?", kit.Question{
		Name: data.Product.Name, Text: "Its slug is never reused. A product that was sold or licensed cannot be deleted: archive it instead.", Org: data.Org,
		Action: licensesPath + "/products/delete", Field: "product_id", Value: data.Product.ID, Button: "Delete product", Back: licensesPath + "/products/" + data.Product.ID,
	})
}

func (v *visit) deleteProduct() error {
	_, err := v.Me().ProductDelete(v.Context(), client.ProductDeleteParams{ProductID: v.Form.Text("product_id"), OrgID: v.Org()})
	return v.removed(err, "The product was deleted.", "/products")
}

// licenseFields returns the names of the license form's fields.
func licenseFields() []string {
	return []string{"seats", "max_machines", "offline_days", "expires_at", "features", "owner"}
}

// licenseTerms returns the parameters that differ from before. Unchanged ones are left
// out because a term set on a license overrides later changes of its policy.
func (v *visit) licenseTerms(before license) kit.Params {
	p, was := kit.Params{}, before.values()
	for _, name := range licenseFields() {
		sent := v.Form.Text(name)
		if lines := strings.ReplaceAll(sent, "\r\n", "\n"); lines == was.Get(name) || sent == "" && name != "features" {
			continue
		}
		switch name {
		case "features":
			p[name] = readValues(sent)
		case "expires_at":
			p[name] = sent
			if day, err := time.Parse(time.DateOnly, sent); err == nil {
				p[name] = day.AddDate(0, 0, 1).Format(time.RFC3339)
			}
		case "owner":
			if strings.HasPrefix(sent, "org_") {
				p["owner_org_id"] = sent
			} else {
				p["user_id"] = sent
			}
		default:
			v.Integers(p, name)
		}
	}
	return p
}

// values returns the form values of the license. The expiry date is shown as the last
// day of validity.
func (l license) values() url.Values {
	sent := url.Values{"features": {valueLines(l.Features)}, "owner": {l.UserID + l.OwnerOrgID}}
	if l.ID == "" {
		return sent
	}
	for name, number := range map[string]int{"seats": l.Seats, "max_machines": l.MaxMachines, "offline_days": l.OfflineDays} {
		sent.Set(name, strconv.Itoa(number))
	}
	if !l.ExpiresAt.IsZero() {
		sent.Set("expires_at", l.ExpiresAt.Add(-time.Nanosecond).UTC().Format(time.DateOnly))
	}
	return sent
}

func (v *visit) editLicense() error {
	data, err := v.licensingForm(issuedTab, "licenses:write")
	if err != nil {
		return err
	}
	held, err := v.someLicense()
	if err != nil {
		return err
	}
	if !held.Issued {
		return kit.ErrNoPage
	}
	if v.Form.Values == nil {
		v.Form.Values = held.License.values()
	}
	data.License, data.Blank = held.License, "Leave empty to keep the current value. Use 0 for no limit, or for no license files."
	return v.Show("changelicense", "Edit license", data)
}

func (v *visit) changeLicense() error {
	held, err := v.someLicense()
	if err != nil {
		return err
	}
	p := v.licenseTerms(held.License)
	p["license_id"] = held.License.ID
	if err := v.Act("LICENSE.UPDATE", p, nil); err != nil {
		return v.Retry(withFormFields(err), v.editLicense, licenseFields()...)
	}
	return v.Done("The license was updated.", v.licensePage())
}

// askLicenseKey asks for confirmation before the key of a license is replaced.
func (v *visit) askLicenseKey() error {
	data, err := v.someLicense()
	if err != nil {
		return err
	}
	if !data.Issued {
		return kit.ErrNoPage
	}
	return v.Show("question", "Replace this key?", kit.Question{
		Name: data.License.Product, Text: "The current key stops working immediately. Machines and seats stay.", Org: data.Org,
		Action: licensesPath + "/issued/rotate", Field: "license_id", Value: data.License.ID, Button: "Replace key",
		Back: licensesPath + "/" + url.PathEscape(data.License.ID),
	})
}

func (v *visit) rotateLicenseKey() error {
	id := v.Form.Text("license_id")
	made, err := v.Me().LicenseRotateKey(v.Context(), client.LicenseRotateKeyParams{LicenseID: id, OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.license)
	}
	v.State.Shown = &kit.Shown{Key: made.Key, Name: id}
	return v.Redirect(v.licensePage())
}

// formFields maps names of parameters to those of form fields where they differ.
func formFields() map[string]string {
	return map[string]string{"license_policy_id": "policy_id", "user_id": "owner", "owner_org_id": "owner"}
}

// withFormFields translates the field paths of a failure from parameters to form fields.
func withFormFields(err error) error {
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	shown := *failure
	shown.Fields = slices.Clone(failure.Fields)
	for i, one := range shown.Fields {
		name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(one.Path, "/changes"), "/"), "/")
		if field := formFields()[name]; field != "" {
			name = field
		}
		if rest != "" {
			shown.Fields[i].Message = rest + " " + one.Message
		}
		shown.Fields[i].Path = "/" + name
	}
	return &shown
}

// valueLines formats features for a text area, one on a line.
func valueLines(features client.Raw) string {
	var all map[string]any
	if json.Unmarshal(features, &all) != nil {
		return "" // a new license or policy has none
	}
	return lines(all, func(value any) string {
		if number, is := value.(float64); is {
			return strconv.FormatFloat(number, 'f', -1, 64)
		}
		return fmt.Sprint(value)
	})
}

// readValues parses features, one on a line: booleans, integers or texts.
func readValues(typed string) map[string]any {
	values := map[string]any{}
	for name, said := range pairs(typed) {
		if number, err := strconv.Atoi(said); err == nil {
			values[name] = number
		} else if said == "true" || said == "false" {
			values[name] = said == "true"
		} else {
			values[name] = said
		}
	}
	return values
}

// lines formats a map as lines "name = value", sorted by name.
func lines[V any](all map[string]V, say func(V) string) string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text = append(text, name+" = "+say(all[name]))
	}
	return strings.Join(text, "\n")
}

// pairs parses lines "name = value".
func pairs(typed string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(typed) {
			name, said, _ := strings.Cut(line, "=")
			if name = strings.TrimSpace(name); name != "" && !yield(name, strings.TrimSpace(said)) {
				return
			}
		}
	}
}
