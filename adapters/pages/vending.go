package pages

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// vendingRoutes returns the licensing pages of owners and issuers.
func vendingRoutes() []route {
	return []route{
		{"GET " + formerLicensesPath, person, (*visit).movedLicenses},
		{"GET " + formerLicensesPath + "/", person, (*visit).movedLicenses},
		{"GET " + licensesPath, person, (*visit).licenses},
		{"GET " + licensesPath + "/{id}", person, (*visit).license},
		{"GET " + licensesPath + "/free/{id}/{machine}", person, (*visit).askMachine},
		{"POST " + licensesPath + "/free", person, (*visit).freeMachine},
		{"POST " + licensesPath + "/file", person, (*visit).licenseFile},
		{"POST " + licensesPath + "/seats/give", person, (*visit).giveSeat},
		{"POST " + licensesPath + "/seats/take", person, (*visit).takeSeat},

		{"GET " + licensesPath + "/issued", person, (*visit).issued},
		{"GET " + licensesPath + "/issued/new", person, (*visit).newLicense},
		{"POST " + licensesPath + "/issued/new", person, (*visit).issueLicense},
		{"GET " + licensesPath + "/issued/{id}/change", person, (*visit).editLicense},
		{"POST " + licensesPath + "/issued/change", person, (*visit).changeLicense},
		{"GET " + licensesPath + "/issued/{id}/rotate", person, (*visit).askLicenseKey},
		{"POST " + licensesPath + "/issued/rotate", person, (*visit).rotateLicenseKey},
		{"POST " + licensesPath + "/issued/suspend", person, (*visit).suspendLicense},
		{"POST " + licensesPath + "/issued/reinstate", person, (*visit).reinstateLicense},
		{"GET " + licensesPath + "/issued/{id}/revoke", person, (*visit).askRevocation},
		{"POST " + licensesPath + "/issued/revoke", person, (*visit).revokeLicense},

		{"GET " + licensesPath + "/products", person, (*visit).products},
		{"GET " + licensesPath + "/products/new", person, (*visit).newProduct},
		{"POST " + licensesPath + "/products/new", person, (*visit).createProduct},
		{"GET " + licensesPath + "/products/{id}", person, (*visit).editProduct},
		{"POST " + licensesPath + "/products/change", person, (*visit).changeProduct},
		{"GET " + licensesPath + "/products/{id}/delete", person, (*visit).askProduct},
		{"POST " + licensesPath + "/products/delete", person, (*visit).deleteProduct},
		{"GET " + licensesPath + "/policies", person, (*visit).licensePolicies},
		{"GET " + licensesPath + "/policies/new", person, (*visit).newPolicy},
		{"POST " + licensesPath + "/policies/new", person, (*visit).createPolicy},
		{"GET " + licensesPath + "/policies/{id}", person, (*visit).editPolicy},
		{"POST " + licensesPath + "/policies/change", person, (*visit).changePolicy},
		{"GET " + licensesPath + "/policies/{id}/delete", person, (*visit).askPolicy},
		{"POST " + licensesPath + "/policies/delete", person, (*visit).deletePolicy},
		{"GET " + licensesPath + "/features", person, (*visit).features},
		{"GET " + licensesPath + "/features/new", person, (*visit).newFeature},
		{"POST " + licensesPath + "/features/new", person, (*visit).createFeature},
		{"POST " + licensesPath + "/features/switch", person, (*visit).switchFeature},
	}
}

// product is a product of the workspace.
type product struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	OrgID       string         `json:"org_id"`
	Slug        string         `json:"slug"`
	Description string         `json:"description"`
	Features    map[string]any `json:"features"`
	PolicyID    string         `json:"license_policy_id"`
	Public      bool           `json:"public"`
	Archived    bool           `json:"archived"`
}

// licensingData is the data of the issuer's pages: a list with its filters, or a form with
// its choices.
type licensingData struct {
	licensingSection

	Items         any
	More          string
	Query, Status string
	Products      []product
	Policies      []licensePolicy
	// Product, Policy and License are the object of a form; their identifiers are empty
	// in a form to create one.
	Product product
	Policy  licensePolicy
	License license
	// NoPolicy is the label of an empty policy choice, and Blank the hint of empty
	// fields.
	NoPolicy, Blank string
}

// States returns the values of the status filter.
func (licensingData) States() []string { return []string{"active", "suspended", "expired", "revoked"} }

// listLicensing executes a list command, passes the items to look, and returns the page data.
func listLicensing[T any](v *visit, tab, command string, p params, look func([]T)) (licensingData, error) {
	in, err := v.licensingSection(tab)
	if err != nil {
		return licensingData{}, err
	}
	const few = 20
	var held list[T]
	p["limit"] = few
	if err := v.act(command, p.text("cursor", v.cursor()), &held); err != nil {
		return licensingData{}, err
	}
	if look != nil {
		look(held.Items)
	}
	return licensingData{licensingSection: in, Items: held.Items, More: held.NextCursor}, nil
}

// licensingForm returns the page data for a form that requires a permission.
func (v *visit) licensingForm(tab, permission string) (licensingData, error) {
	in, err := v.workspaceForm(tab, permission)
	return licensingData{licensingSection: licensingSection{in}}, err
}

// searched returns a search parameter of the query.
func (v *visit) searched(name string) string { return strings.TrimSpace(v.r.URL.Query().Get(name)) }

// issued lists the licenses that the workspace issued. A search for a license key
// redirects to the license.
func (v *visit) issued() error {
	query, status := v.searched("q"), v.searched("status")
	p := params{}.text("status", status)
	if strings.HasPrefix(strings.ToUpper(query), "LIC-") {
		var found licenseData
		if err := v.act("LICENSE.GET", params{"key": query}, &found); err != nil {
			if err := v.refused(err); err != nil {
				return err
			}
			return v.wrong("No license in this workspace has this key.", licensesPath+"/issued")
		}
		return v.redirect(licensesPath + "/" + url.PathEscape(found.License.ID))
	}
	data, err := listLicensing(v, issuedTab, "LICENSE.LIST", p.text("product_id", query), v.named)
	if err != nil && query != "" {
		if err := v.refused(err); err != nil {
			return err
		}
		return v.wrong("No product in this workspace has this slug.", licensesPath+"/issued")
	}
	if err != nil {
		return err
	}
	data.Query, data.Status = query, status
	return v.show("issued", "Issued licenses", data)
}

func (v *visit) newLicense() error {
	data, err := v.licensingForm(issuedTab, "licenses:write")
	if err != nil {
		return err
	}
	var products list[product]
	if err := v.act("PRODUCT.LIST", params{"archived": false, "limit": mostListed}, &products); err != nil {
		return err
	}
	if data.Policies, err = v.policies(); err != nil {
		return err
	}
	data.Products, data.NoPolicy, data.Blank = products.Items, "The product's policy, if it has one", "Leave empty to use the policy's value."
	return v.show("newlicense", "New license", data)
}

func (v *visit) issueLicense() error {
	var made struct {
		License license `json:"license"`
		Key     string  `json:"key"`
	}
	p := v.licenseTerms(license{})
	p["product_id"] = v.form.text("product_id")
	p.text("policy_id", v.form.text("policy_id"))
	if err := v.act("LICENSE.ISSUE", p, &made); err != nil {
		return v.retry(withFormFields(err), (*visit).newLicense, append(licenseFields(), "product_id", "policy_id")...)
	}
	v.state.Shown = &shown{Key: made.Key, Name: made.License.ID}
	return v.redirect(licensesPath + "/" + url.PathEscape(made.License.ID))
}

// integers copies integer fields of the form. Other input is passed on as text, so that
// the command reports the error.
func (v *visit) integers(to params, names ...string) {
	for _, name := range names {
		sent := v.form.text(name)
		if number, err := strconv.Atoi(sent); err == nil {
			to[name] = number
		} else {
			to.text(name, sent)
		}
	}
}

// licenseCommand executes a command on the license of a form.
func (v *visit) licenseCommand(command, said string) error {
	if err := v.act(command, params{"license_id": v.form.text("license_id")}, nil); err != nil {
		return v.retry(err, (*visit).license)
	}
	return v.done(said, v.licensePage())
}

func (v *visit) suspendLicense() error {
	return v.licenseCommand("LICENSE.SUSPEND", "The license was suspended. Programs find out at their next validation.")
}

func (v *visit) reinstateLicense() error {
	return v.licenseCommand("LICENSE.REINSTATE", "The license was reinstated.")
}

// askRevocation asks for confirmation before a license is revoked.
func (v *visit) askRevocation() error {
	data, err := v.someLicense()
	if err != nil {
		return err
	}
	if !data.Issued {
		return errNoPage
	}
	return v.show("question", "Revoke this license?", question{
		Name: data.License.Product, Text: "The license is permanently invalid. To stop it for a while, suspend it instead.", Org: data.Org,
		Action: licensesPath + "/issued/revoke", Field: "license_id", Value: data.License.ID, Button: "Revoke license",
		Back: licensesPath + "/" + url.PathEscape(data.License.ID),
	})
}

func (v *visit) revokeLicense() error {
	return v.licenseCommand("LICENSE.REVOKE", "The license was revoked.")
}

func (v *visit) products() error {
	query := v.searched("q")
	data, err := listLicensing[product](v, productsTab, "PRODUCT.LIST", params{}.text("query", query), nil)
	if err != nil {
		return err
	}
	data.Query = query
	return v.show("products", "Products", data)
}

type flag struct {
	Key         string            `json:"key"`
	Type        string            `json:"type"`
	Default     json.RawMessage   `json:"default"`
	Rules       []json.RawMessage `json:"rules"`
	Enabled     bool              `json:"enabled"`
	Description string            `json:"description"`
}

// Otherwise returns the default value as JSON.
func (f flag) Otherwise() string { return string(f.Default) }

func (v *visit) features() error {
	query := v.searched("q")
	data, err := listLicensing[flag](v, featuresTab, "FEATURE.LIST", params{}.text("query", query), nil)
	if err != nil {
		return err
	}
	data.Query = query
	return v.show("features", "Features", data)
}

func (v *visit) newFeature() error {
	data, err := v.licensingForm(featuresTab, "features:write")
	if err != nil {
		return err
	}
	return v.show("newfeature", "New feature", data)
}

func (v *visit) createFeature() error {
	kind, sent := v.form.text("type"), v.form.text("default")
	p := params{"key": v.form.text("key"), "type": kind, "default": sent}.text("description", v.form.text("description"))
	switch kind {
	case "int":
		v.integers(p, "default")
	case "bool":
		p["default"] = sent == "true"
	}
	if err := v.act("FEATURE.CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newFeature, "key", "type", "default", "description")
	}
	return v.done("The feature was created.", licensesPath+"/features")
}

func (v *visit) switchFeature() error {
	on := v.form.text("enabled") == "true"
	if err := v.act("FEATURE.UPDATE", params{"key": v.form.text("key"), "enabled": on}, nil); err != nil {
		return v.retry(err, (*visit).features)
	}
	if on {
		return v.done(v.form.text("key")+" is enabled.", licensesPath+"/features")
	}
	return v.done(v.form.text("key")+" is disabled. Everyone gets its default.", licensesPath+"/features")
}
