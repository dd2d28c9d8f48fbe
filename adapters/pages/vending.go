package pages

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// vendingRoutes are what people do with licences: owners with theirs, and those who sell
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
		{"POST " + licencesPath + "/issued/suspend", person, (*visit).suspendLicence},
		{"POST " + licencesPath + "/issued/reinstate", person, (*visit).reinstateLicence},
		{"GET " + licencesPath + "/issued/{id}/revoke", person, (*visit).askRevocation},
		{"POST " + licencesPath + "/issued/revoke", person, (*visit).revokeLicence},

		{"GET " + licencesPath + "/products", person, (*visit).products},
		{"GET " + licencesPath + "/products/new", person, (*visit).newProduct},
		{"POST " + licencesPath + "/products/new", person, (*visit).createProduct},
		{"GET " + licencesPath + "/policies", person, (*visit).licencePolicies},
		{"GET " + licencesPath + "/policies/new", person, (*visit).newPolicy},
		{"POST " + licencesPath + "/policies/new", person, (*visit).createPolicy},
		{"GET " + licencesPath + "/features", person, (*visit).features},
		{"GET " + licencesPath + "/features/new", person, (*visit).newFeature},
		{"POST " + licencesPath + "/features/new", person, (*visit).createFeature},
		{"POST " + licencesPath + "/features/switch", person, (*visit).switchFeature},
	}
}

// product is something that the workspace sells or licenses.
type product struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Slug        string `json:"slug"`
	Description string `json:"description"`
	Public      bool   `json:"public"`
	Archived    bool   `json:"archived"`
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
}

// States are those that licences can be looked for by.
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

// counter is the active workspace for a form about what it sells.
func (v *visit) counter(tab, permission string) (soldData, error) {
	in, err := v.workbench(tab, permission)
	return soldData{shop: shop{in}}, err
}

// asked is what a search of the page asks for.
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
	var policies list[licensePolicy]
	if err := v.act("LICENSE.POLICY_LIST", params{"limit": mostListed}, &policies); err != nil {
		return err
	}
	data.Products, data.Policies = products.Items, policies.Items
	return v.show("newlicence", "Issue a licence", data)
}

func (v *visit) issueLicence() error {
	var made struct {
		License licence `json:"license"`
		Key     string  `json:"key"`
	}
	p := params{"product_id": v.form.text("product_id")}.text("policy_id", v.form.text("policy_id"))
	v.whole(p, "seats", "max_machines")
	if err := v.act("LICENSE.ISSUE", p, &made); err != nil {
		return v.retry(err, (*visit).newLicence, "product_id", "policy_id", "seats", "max_machines")
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

func (v *visit) newProduct() error {
	data, err := v.counter(productsTab, "products:write")
	if err != nil {
		return err
	}
	return v.show("newproduct", "New product", data)
}

func (v *visit) createProduct() error {
	p := params{"name": v.form.text("name"), "slug": v.form.text("slug")}.text("description", v.form.text("description"))
	if err := v.act("PRODUCT.CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newProduct, "name", "slug", "description")
	}
	return v.done("The product was made.", licencesPath+"/products")
}

// licensePolicy is the terms that licences are issued from.
type licensePolicy struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	DurationDays int    `json:"duration_days"`
	Seats        int    `json:"seats"`
	MaxMachines  int    `json:"max_machines"`
	Floating     bool   `json:"floating"`
	OfflineDays  int    `json:"offline_days"`
}

// Terms says what licences of the policy allow.
func (p licensePolicy) Terms() string {
	said := []string{"For ever"}
	if p.DurationDays > 0 {
		said[0] = "For " + plural(p.DurationDays, "day", "days")
	}
	if p.MaxMachines > 0 {
		said = append(said, "on "+plural(p.MaxMachines, "machine", "machines"))
	}
	if p.Seats > 0 && p.Floating {
		said = append(said, "with "+plural(p.Seats, "floating seat", "floating seats"))
	} else if p.Seats > 0 {
		said = append(said, "with "+plural(p.Seats, "named seat", "named seats"))
	}
	if p.OfflineDays > 0 {
		said = append(said, plural(p.OfflineDays, "day", "days")+" offline")
	}
	return strings.Join(said, ", ") + "."
}

func (v *visit) licencePolicies() error {
	data, err := sold[licensePolicy](v, policiesTab, "LICENSE.POLICY_LIST", params{}, nil)
	if err != nil {
		return err
	}
	return v.show("licencepolicies", "Licence policies", data)
}

func (v *visit) newPolicy() error {
	data, err := v.counter(policiesTab, "licenses:write")
	if err != nil {
		return err
	}
	return v.show("newlicencepolicy", "New licence policy", data)
}

func (v *visit) createPolicy() error {
	p := params{"name": v.form.text("name"), "floating": v.form.Has("floating", "1")}
	numbers := []string{"duration_days", "max_machines", "seats", "offline_days"}
	v.whole(p, numbers...)
	if err := v.act("LICENSE.POLICY_CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newPolicy, append(numbers, "name")...)
	}
	return v.done("The policy was made.", licencesPath+"/policies")
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

// Otherwise is the default as JSON.
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
