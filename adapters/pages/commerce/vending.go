package commerce

import (
	"encoding/json"
	"net/url"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// vendingRoutes returns the licensing pages of owners and issuers.
func vendingRoutes() []kit.Route {
	return []kit.Route{
		on("GET "+formerLicensesPath, kit.Everybody, (*visit).movedLicenses),
		on("GET "+formerLicensesPath+"/", kit.Everybody, (*visit).movedLicenses),
		on("GET "+licensesPath, kit.Person, (*visit).licenses),
		on("GET "+licensesPath+"/{id}", kit.Person, (*visit).license),
		on("GET "+licensesPath+"/free/{id}/{machine}", kit.Person, (*visit).askMachine),
		on("POST "+licensesPath+"/free", kit.Person, (*visit).freeMachine),
		on("POST "+licensesPath+"/file", kit.Person, (*visit).licenseFile),
		on("POST "+licensesPath+"/seats/give", kit.Person, (*visit).giveSeat),
		on("POST "+licensesPath+"/seats/take", kit.Person, (*visit).takeSeat),

		on("GET "+licensesPath+"/issued", kit.Person, (*visit).issued),
		on("GET "+licensesPath+"/issued/new", kit.Person, (*visit).newLicense),
		on("POST "+licensesPath+"/issued/new", kit.Person, (*visit).issueLicense),
		on("GET "+licensesPath+"/issued/{id}/change", kit.Person, (*visit).editLicense),
		on("POST "+licensesPath+"/issued/change", kit.Person, (*visit).changeLicense),
		on("GET "+licensesPath+"/issued/{id}/rotate", kit.Person, (*visit).askLicenseKey),
		on("POST "+licensesPath+"/issued/rotate", kit.Person, (*visit).rotateLicenseKey),
		on("POST "+licensesPath+"/issued/suspend", kit.Person, (*visit).suspendLicense),
		on("POST "+licensesPath+"/issued/reinstate", kit.Person, (*visit).reinstateLicense),
		on("GET "+licensesPath+"/issued/{id}/revoke", kit.Person, (*visit).askRevocation),
		on("POST "+licensesPath+"/issued/revoke", kit.Person, (*visit).revokeLicense),

		on("GET "+licensesPath+"/products", kit.Person, (*visit).products),
		on("GET "+licensesPath+"/products/new", kit.Person, (*visit).newProduct),
		on("POST "+licensesPath+"/products/new", kit.Person, (*visit).createProduct),
		on("GET "+licensesPath+"/products/{id}", kit.Person, (*visit).editProduct),
		on("POST "+licensesPath+"/products/change", kit.Person, (*visit).changeProduct),
		on("GET "+licensesPath+"/products/{id}/delete", kit.Person, (*visit).askProduct),
		on("POST "+licensesPath+"/products/delete", kit.Person, (*visit).deleteProduct),
		on("GET "+licensesPath+"/policies", kit.Person, (*visit).licensePolicies),
		on("GET "+licensesPath+"/policies/new", kit.Person, (*visit).newPolicy),
		on("POST "+licensesPath+"/policies/new", kit.Person, (*visit).createPolicy),
		on("GET "+licensesPath+"/policies/{id}", kit.Person, (*visit).editPolicy),
		on("POST "+licensesPath+"/policies/change", kit.Person, (*visit).changePolicy),
		on("GET "+licensesPath+"/policies/{id}/delete", kit.Person, (*visit).askPolicy),
		on("POST "+licensesPath+"/policies/delete", kit.Person, (*visit).deletePolicy),
		on("GET "+licensesPath+"/features", kit.Person, (*visit).features),
		on("GET "+licensesPath+"/features/new", kit.Person, (*visit).newFeature),
		on("POST "+licensesPath+"/features/new", kit.Person, (*visit).createFeature),
		on("POST "+licensesPath+"/features/switch", kit.Person, (*visit).switchFeature),
	}
}

// licensingData is the data of the issuer's pages: a list with its filters, or a form with
// its choices.
type licensingData struct {
	licensingSection

	Items         any
	More          string
	Query, Status string
	Products      []client.Product
	Policies      []licensePolicy
	// Product, Policy and License are the object of a form; their identifiers are empty
	// in a form to create one.
	Product client.Product
	Policy  licensePolicy
	License license
	// NoPolicy is the label of an empty policy choice, and Blank the hint of empty
	// fields.
	NoPolicy, Blank string
}

// States returns the values of the status filter.
func (licensingData) States() []string { return []string{"active", "suspended", "expired", "revoked"} }

// listLicensing returns the page data of a list.
func (v *visit) listLicensing(tab string, list func(limit *int, cursor *string) (items any, more string, err error)) (licensingData, error) {
	in, err := v.licensingSection(tab)
	if err != nil {
		return licensingData{}, err
	}
	data := licensingData{licensingSection: in}
	data.Items, data.More, err = list(v.page())
	return data, err
}

// licensingForm returns the page data for a form that requires a permission.
func (v *visit) licensingForm(tab, permission string) (licensingData, error) {
	in, err := v.Permitted(tab, permission)
	return licensingData{licensingSection: licensingSection{in}}, err
}

// issued lists the licenses that the workspace issued. A search for a license key
// redirects to the license.
func (v *visit) issued() error {
	query, status := v.Searched("q"), v.Searched("status")
	if strings.HasPrefix(strings.ToUpper(query), "LIC-") {
		found, err := v.Me().LicenseGet(v.Context(), client.LicenseGetParams{Key: new(query), OrgID: v.Org()})
		if err != nil {
			if err := v.Refused(err); err != nil {
				return err
			}
			return v.Wrong("No license in this workspace has this key.", licensesPath+"/issued")
		}
		return v.Redirect(licensesPath + "/" + url.PathEscape(found.License.ID))
	}
	data, err := v.listLicensing(issuedTab, func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().LicenseList(v.Context(), client.LicenseListParams{
			ProductID: client.Given(query), Status: client.Given(client.LicenseStatus(status)), Limit: limit, Cursor: cursor, OrgID: v.Org(),
		})
		return v.named(held.Items), held.NextCursor, err
	})
	if err != nil && query != "" {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong("No product in this workspace has this slug.", licensesPath+"/issued")
	}
	if err != nil {
		return err
	}
	data.Query, data.Status = query, status
	return v.Show("issued", "Issued licenses", data)
}

func (v *visit) newLicense() error {
	data, err := v.licensingForm(issuedTab, "licenses:write")
	if err != nil {
		return err
	}
	products, err := v.Me().ProductList(v.Context(), client.ProductListParams{Archived: new(false), Limit: new(kit.MostListed), OrgID: v.Org()})
	if err != nil {
		return err
	}
	if data.Policies, err = v.policies(); err != nil {
		return err
	}
	data.Products, data.NoPolicy, data.Blank = products.Items, "The product's policy, if it has one", "Leave empty to use the policy's value."
	return v.Show("newlicense", "New license", data)
}

func (v *visit) issueLicense() error {
	var made client.LicenseIssueResult
	p := v.licenseTerms(license{})
	p["product_id"] = v.Form.Text("product_id")
	p.Text("policy_id", v.Form.Text("policy_id"))
	if err := v.Act("LICENSE.ISSUE", p, &made); err != nil {
		return v.Retry(withFormFields(err), v.newLicense, append(licenseFields(), "product_id", "policy_id")...)
	}
	v.State.Shown = &kit.Shown{Key: made.Key, Name: made.License.ID}
	return v.Redirect(licensesPath + "/" + url.PathEscape(made.License.ID))
}

// licenseChanged continues after a change of the license of a form.
func (v *visit) licenseChanged(err error, said string) error {
	if err != nil {
		return v.Retry(err, v.license)
	}
	return v.Done(said, v.licensePage())
}

func (v *visit) suspendLicense() error {
	_, err := v.Me().LicenseSuspend(v.Context(), client.LicenseSuspendParams{LicenseID: v.Form.Text("license_id"), OrgID: v.Org()})
	return v.licenseChanged(err, "The license was suspended. Programs find out at their next validation.")
}

func (v *visit) reinstateLicense() error {
	_, err := v.Me().LicenseReinstate(v.Context(), client.LicenseReinstateParams{LicenseID: v.Form.Text("license_id"), OrgID: v.Org()})
	return v.licenseChanged(err, "The license was reinstated.")
}

// askRevocation asks for confirmation before a license is revoked.
func (v *visit) askRevocation() error {
	data, err := v.someLicense()
	if err != nil {
		return err
	}
	if !data.Issued {
		return kit.ErrNoPage
	}
	return v.Show("question", "Revoke this license?", kit.Question{
		Name: data.License.Product, Text: "The license is permanently invalid. To stop it for a while, suspend it instead.", Org: data.Org,
		Action: licensesPath + "/issued/revoke", Field: "license_id", Value: data.License.ID, Button: "Revoke license",
		Back: licensesPath + "/" + url.PathEscape(data.License.ID),
	})
}

func (v *visit) revokeLicense() error {
	_, err := v.Me().LicenseRevoke(v.Context(), client.LicenseRevokeParams{LicenseID: v.Form.Text("license_id"), OrgID: v.Org()})
	return v.licenseChanged(err, "The license was revoked.")
}

func (v *visit) products() error {
	query := v.Searched("q")
	data, err := v.listLicensing(productsTab, func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().ProductList(v.Context(), client.ProductListParams{Query: client.Given(query), Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return held.Items, held.NextCursor, err
	})
	if err != nil {
		return err
	}
	data.Query = query
	return v.Show("products", "Products", data)
}

// flag is a feature for display.
type flag struct{ client.Feature }

// Otherwise returns the default value as JSON.
func (f flag) Otherwise() (string, error) {
	text, err := json.Marshal(f.Default)
	return string(text), err
}

func (v *visit) features() error {
	query := v.Searched("q")
	data, err := v.listLicensing(featuresTab, func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().FeatureList(v.Context(), client.FeatureListParams{Query: client.Given(query), Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return kit.Map(held.Items, func(one client.Feature) flag { return flag{one} }), held.NextCursor, err
	})
	if err != nil {
		return err
	}
	data.Query = query
	return v.Show("features", "Features", data)
}

func (v *visit) newFeature() error {
	data, err := v.licensingForm(featuresTab, "features:write")
	if err != nil {
		return err
	}
	return v.Show("newfeature", "New feature", data)
}

func (v *visit) createFeature() error {
	kind, sent := v.Form.Text("type"), v.Form.Text("default")
	p := kit.Params{"key": v.Form.Text("key"), "type": kind, "default": sent}.Text("description", v.Form.Text("description"))
	switch kind {
	case "int":
		v.Integers(p, "default")
	case "bool":
		p["default"] = sent == "true"
	}
	if err := v.Act("FEATURE.CREATE", p, nil); err != nil {
		return v.Retry(err, v.newFeature, "key", "type", "default", "description")
	}
	return v.Done("The feature was created.", licensesPath+"/features")
}

func (v *visit) switchFeature() error {
	on := v.Form.Text("enabled") == "true"
	if _, err := v.Me().FeatureUpdate(v.Context(), client.FeatureUpdateParams{Key: v.Form.Text("key"), Enabled: new(on), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.features)
	}
	if on {
		return v.Done(v.Form.Text("key")+" is enabled.", licensesPath+"/features")
	}
	return v.Done(v.Form.Text("key")+" is disabled. Everyone gets its default.", licensesPath+"/features")
}
