package pages

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// vendingRoutes returns what people do with licences: owners with theirs, and those who sell
// software with what they issue.
func vendingRoutes() []route {
	return []route{
		{"GET " + licencesPath, person, (*visit).licences},
		{"GET " + licencesPath + "/{id}", person, (*visit).licence},
		{"GET " + licencesPath + "/free/{id}/{machine}", person, (*visit).askMachine},
		{"POST " + licencesPath + "/free", person, (*visit).freeMachine},
		{"POST " + licencesPath + "/file", person, (*visit).licenceFile},
		{"POST " + licencesPath + "/seats/give", person, (*visit).giveSeat},
		{"POST " + licencesPath + "/seats/take", person, (*visit).takeSeat},

		{"GET " + licencesPath + "/issued", person, (*visit).issued},
		{"GET " + licencesPath + "/issued/new", person, (*visit).newLicence},
		{"POST " + licencesPath + "/issued/new", person, (*visit).issueLicence},
		{"GET " + licencesPath + "/issued/{id}/change", person, (*visit).editLicence},
		{"POST " + licencesPath + "/issued/change", person, (*visit).changeLicence},
		{"GET " + licencesPath + "/issued/{id}/rotate", person, (*visit).askLicenceKey},
		{"POST " + licencesPath + "/issued/rotate", person, (*visit).rotateLicenceKey},
		{"POST " + licencesPath + "/issued/suspend", person, (*visit).suspendLicence},
		{"POST " + licencesPath + "/issued/reinstate", person, (*visit).reinstateLicence},
		{"GET " + licencesPath + "/issued/{id}/revoke", person, (*visit).askRevocation},
		{"POST " + licencesPath + "/issued/revoke", person, (*visit).revokeLicence},

		{"GET " + licencesPath + "/products", person, (*visit).products},
		{"GET " + licencesPath + "/products/new", person, (*visit).newProduct},
		{"POST " + licencesPath + "/products/new", person, (*visit).createProduct},
		{"GET " + licencesPath + "/products/{id}", person, (*visit).editProduct},
		{"POST " + licencesPath + "/products/change", person, (*visit).changeProduct},
		{"GET " + licencesPath + "/products/{id}/delete", person, (*visit).askProduct},
		{"POST " + licencesPath + "/products/delete", person, (*visit).deleteProduct},
		{"GET " + licencesPath + "/policies", person, (*visit).licencePolicies},
		{"GET " + licencesPath + "/policies/new", person, (*visit).newPolicy},
		{"POST " + licencesPath + "/policies/new", person, (*visit).createPolicy},
		{"GET " + licencesPath + "/policies/{id}", person, (*visit).editPolicy},
		{"POST " + licencesPath + "/policies/change", person, (*visit).changePolicy},
		{"GET " + licencesPath + "/policies/{id}/delete", person, (*visit).askPolicy},
		{"POST " + licencesPath + "/policies/delete", person, (*visit).deletePolicy},
		{"GET " + licencesPath + "/features", person, (*visit).features},
		{"GET " + licencesPath + "/features/new", person, (*visit).newFeature},
		{"POST " + licencesPath + "/features/new", person, (*visit).createFeature},
		{"POST " + licencesPath + "/features/switch", person, (*visit).switchFeature},
	}
}

// product is something that the workspace sells or licenses.
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

// soldData is what the pages of a workspace that sells software show: what there is of one
// kind, what was looked for, and what can be chosen.
type soldData struct {
	shop

	Items         any
	More          string
	Query, Status string
	Products      []product
	Policies      []licensePolicy
	// Product, Policy and License are what a form changes; their identifiers are empty
	// where it makes one.
	Product product
	Policy  licensePolicy
	License licence
	// NoPolicy is what no policy means to a form, Blank what an empty field does.
	NoPolicy, Blank string
}

// States returns those that licences can be looked for by.
func (soldData) States() []string { return []string{"active", "suspended", "expired", "revoked"} }

// sold lists what there is of one kind.
func sold[T any](v *visit, tab, command string, p params, look func([]T)) (soldData, error) {
	in, err := v.shop(tab)
	if err != nil {
		return soldData{}, err
	}
	const few = 20
	var held list[T]
	p["limit"] = few
	if err := v.act(command, p.text("cursor", v.cursor()), &held); err != nil {
		return soldData{}, err
	}
	if look != nil {
		look(held.Items)
	}
	return soldData{shop: in, Items: held.Items, More: held.NextCursor}, nil
}

// counter returns the active workspace for a form about what it sells.
func (v *visit) counter(tab, permission string) (soldData, error) {
	in, err := v.workbench(tab, permission)
	return soldData{shop: shop{in}}, err
}

// asked returns what a search of the page asks for.
func (v *visit) asked(name string) string { return strings.TrimSpace(v.r.URL.Query().Get(name)) }

// issued shows licences that the workspace issued; a key that is looked for leads to its
// licence.
func (v *visit) issued() error {
	query, status := v.asked("q"), v.asked("status")
	p := params{}.text("status", status)
	if strings.HasPrefix(strings.ToUpper(query), "LIC-") {
		var found licenceData
		if err := v.act("LICENSE.GET", params{"key": query}, &found); err != nil {
			if err := v.refused(err); err != nil {
				return err
			}
			return v.wrong("No licence of the workspace has this key.", licencesPath+"/issued")
		}
		return v.redirect(licencesPath + "/" + url.PathEscape(found.License.ID))
	}
	data, err := sold(v, issuedTab, "LICENSE.LIST", p.text("product_id", query), v.named)
	if err != nil && query != "" {
		if err := v.refused(err); err != nil {
			return err
		}
		return v.wrong("There is no such product.", licencesPath+"/issued")
	}
	if err != nil {
		return err
	}
	data.Query, data.Status = query, status
	return v.show("issued", "Issued licences", data)
}

func (v *visit) newLicence() error {
	data, err := v.counter(issuedTab, "licenses:write")
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
	data.Products, data.NoPolicy, data.Blank = products.Items, "That of the product, if it has one", "Empty: what the policy says."
	return v.show("newlicence", "Issue a licence", data)
}

func (v *visit) issueLicence() error {
	var made struct {
		License licence `json:"license"`
		Key     string  `json:"key"`
	}
	p := v.licenceTerms(licence{})
	p["product_id"] = v.form.text("product_id")
	p.text("policy_id", v.form.text("policy_id"))
	if err := v.act("LICENSE.ISSUE", p, &made); err != nil {
		return v.retry(fielded(err), (*visit).newLicence, append(licenceFields(), "product_id", "policy_id")...)
	}
	v.state.Shown = &shown{Key: made.Key, Name: made.License.ID}
	return v.redirect(licencesPath + "/" + url.PathEscape(made.License.ID))
}

// whole takes whole numbers of a form over; one that is none stays the text that it is,
// for the command to say so.
func (v *visit) whole(to params, names ...string) {
	for _, name := range names {
		sent := v.form.text(name)
		if number, err := strconv.Atoi(sent); err == nil {
			to[name] = number
		} else {
			to.text(name, sent)
		}
	}
}

// turn carries out a command on the licence of a form.
func (v *visit) turn(command, said string) error {
	if err := v.act(command, params{"license_id": v.form.text("license_id")}, nil); err != nil {
		return v.retry(err, (*visit).licence)
	}
	return v.done(said, v.licencePage())
}

func (v *visit) suspendLicence() error {
	return v.turn("LICENSE.SUSPEND", "The licence was suspended. Programs learn it when they ask next.")
}

func (v *visit) reinstateLicence() error {
	return v.turn("LICENSE.REINSTATE", "The licence holds again.")
}

// askRevocation asks before a licence is revoked.
func (v *visit) askRevocation() error {
	data, err := v.someLicence()
	if err != nil {
		return err
	}
	if !data.Issued {
		return errNoPage
	}
	return v.show("question", "Revoke this licence?", question{
		Name: data.License.Product, Text: "It never holds again. To stop it for a while, suspend it instead.", Org: data.Org,
		Action: licencesPath + "/issued/revoke", Field: "license_id", Value: data.License.ID, Button: "Revoke",
		Back: licencesPath + "/" + url.PathEscape(data.License.ID),
	})
}

func (v *visit) revokeLicence() error {
	return v.turn("LICENSE.REVOKE", "The licence was revoked.")
}

func (v *visit) products() error {
	query := v.asked("q")
	data, err := sold[product](v, productsTab, "PRODUCT.LIST", params{}.text("query", query), nil)
	if err != nil {
		return err
	}
	data.Query = query
	return v.show("products", "Products", data)
}

// flag is a feature of the workspace.
type flag struct {
	Key         string            `json:"key"`
	Type        string            `json:"type"`
	Default     json.RawMessage   `json:"default"`
	Rules       []json.RawMessage `json:"rules"`
	Enabled     bool              `json:"enabled"`
	Description string            `json:"description"`
}

// Otherwise returns the default as JSON.
func (f flag) Otherwise() string { return string(f.Default) }

func (v *visit) features() error {
	query := v.asked("q")
	data, err := sold[flag](v, featuresTab, "FEATURE.LIST", params{}.text("query", query), nil)
	if err != nil {
		return err
	}
	data.Query = query
	return v.show("features", "Features", data)
}

func (v *visit) newFeature() error {
	data, err := v.counter(featuresTab, "features:write")
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
		v.whole(p, "default")
	case "bool":
		p["default"] = sent == "true"
	}
	if err := v.act("FEATURE.CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newFeature, "key", "type", "default", "description")
	}
	return v.done("The feature was made.", licencesPath+"/features")
}

func (v *visit) switchFeature() error {
	on := v.form.text("enabled") == "true"
	if err := v.act("FEATURE.UPDATE", params{"key": v.form.text("key"), "enabled": on}, nil); err != nil {
		return v.retry(err, (*visit).features)
	}
	if on {
		return v.done(v.form.text("key")+" is on.", licencesPath+"/features")
	}
	return v.done(v.form.text("key")+" is off: everybody has its default.", licencesPath+"/features")
}
