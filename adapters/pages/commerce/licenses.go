package commerce

import (
	"cmp"
	"net/url"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// licensesPath is the list of a person's licenses.
const licensesPath = kit.Account + "/licenses"

// formerLicensesPath was its path until the spelling changed.
const formerLicensesPath = kit.Account + "/licences"

// movedLicenses redirects from the former path of a page about licenses. As for all paths,
// there is nothing at percent-encoded variants.
func (v *visit) movedLicenses() error {
	to := *v.Request.URL
	if strings.Contains(to.Path, "%") {
		return kit.ErrNoPage
	}
	to.Path = licensesPath + strings.TrimPrefix(to.Path, formerLicensesPath)
	return v.Redirect(to.RequestURI())
}

// Names of the tabs in addresses.
const (
	issuedTab   = "issued"
	productsTab = "products"
	policiesTab = "policies"
	featuresTab = "features"
)

// licensingSection is the workspace of a licensing page.
type licensingSection struct{ kit.Section }

func (v *visit) licensingSection(tab string) (licensingSection, error) {
	in, err := v.Section(tab)
	return licensingSection{in}, err
}

// Tabs returns the licensing pages that the person may see.
func (s licensingSection) Tabs() []kit.Entry {
	tabs := []kit.Entry{{Path: licensesPath, Label: "Your licenses", Here: s.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{issuedTab, "Issued", "licenses:read"},
		{productsTab, "Products", "products:read"},
		{policiesTab, "Policies", "licenses:read"},
		{featuresTab, "Features", "features:read"},
	} {
		if s.May(one.permission) {
			tabs = append(tabs, kit.Entry{Path: licensesPath + "/" + one.name, Label: one.label, Here: s.Tab == one.name})
		}
	}
	return tabs
}

// license is a license with the name of its product.
type license struct {
	client.License

	Product string
}

// Good reports whether the license is active.
func (l license) Good() bool { return l.Status == client.LicenseStatusActive }

// Files reports whether offline license files can be issued.
func (l license) Files() bool { return l.OfflineDays > 0 && l.Good() }

// licenseMachine is a machine that a license is activated on.
type licenseMachine struct{ client.LicenseMachine }

// Title returns the name of the machine, or else its fingerprint.
func (m licenseMachine) Title() string { return cmp.Or(m.Name, m.Machine) }

// licenseSeat is a seat assigned to a person.
type licenseSeat struct{ client.LicenseSeat }

// Title returns the address of the person, or else the identifier.
func (s licenseSeat) Title() string { return cmp.Or(s.Email, s.UserID) }

// licensesData is the data of the list of licenses.
type licensesData struct {
	licensingSection

	Items []license
	More  string
}

// named returns licenses with the names of their products, or the product identifier where the product
// is not public.
func (v *visit) named(all []client.License) []license {
	names := map[string]string{}
	return kit.Map(all, func(one client.License) license {
		if names[one.ProductID] == "" {
			names[one.ProductID] = one.ProductID
			if found, err := v.Me().ProductGet(v.Context(), client.ProductGetParams{ProductID: one.ProductID, OrgID: v.Org()}); err == nil {
				names[one.ProductID] = found.Product.Name
			}
		}
		return license{one, names[one.ProductID]}
	})
}

func (v *visit) licenses() error {
	in, err := v.licensingSection("")
	if err != nil {
		return err
	}
	const few = 20 // one more request for each
	held, err := v.Me().LicenseList(v.Context(), client.LicenseListParams{UserID: new(in.Subject), Limit: new(few), Cursor: client.Given(v.Cursor())})
	if err != nil {
		return err
	}
	return v.Show("licenses", "Licenses", licensesData{in, v.named(held.Items), held.NextCursor})
}

// licenseData is the data of the page of a license.
type licenseData struct {
	licensingSection

	License  license
	Machines []licenseMachine
	Seats    []licenseSeat
	// Issued reports whether the active workspace issued the license and the person may
	// change it. Made is its key, if it was just created.
	Issued bool
	Made   *kit.Kept
}

// NamedSeats reports whether seats are assigned to people.
func (d licenseData) NamedSeats() bool {
	return !d.License.Floating && (d.License.Seats > 0 || len(d.Seats) > 0)
}

// someLicense returns the license of the path or the form.
func (v *visit) someLicense() (licenseData, error) {
	in, err := v.licensingSection("")
	if err != nil {
		return licenseData{}, err
	}
	found, err := v.Me().LicenseGet(v.Context(), client.LicenseGetParams{LicenseID: new(v.ID("license_id")), OrgID: v.Org()})
	if err != nil {
		return licenseData{}, err
	}
	data := licenseData{
		licensingSection: in, License: v.named([]client.License{found.License})[0],
		Machines: kit.Map(found.Machines, func(one client.LicenseMachine) licenseMachine { return licenseMachine{one} }),
		Seats:    kit.Map(found.Seats, func(one client.LicenseSeat) licenseSeat { return licenseSeat{one} }),
	}
	data.Issued = data.License.OrgID == in.Org && in.May("licenses:write")
	if data.License.UserID != in.Subject && in.May("licenses:read") {
		data.Tab = issuedTab
	}
	return data, nil
}

func (v *visit) license() error {
	data, err := v.someLicense()
	if err != nil {
		return err
	}
	if made := v.State.Shown; made != nil && made.Name == data.License.ID {
		whose := "License of " + data.License.Product
		data.Made = &kit.Kept{Name: "the key", Text: made.Key, FileName: "license.txt", File: whose + "\n\n" + made.Key + "\n", For: whose}
		v.State.Shown = nil
	}
	return v.Show("license", data.License.Product, data)
}

// licensePage returns the page of the license in the form.
func (v *visit) licensePage() string {
	return licensesPath + "/" + url.PathEscape(v.Form.Text("license_id"))
}

// askMachine asks for confirmation before a machine is removed.
func (v *visit) askMachine() error {
	data, err := v.someLicense()
	if err != nil {
		return err
	}
	for _, one := range data.Machines {
		if one.ID != v.Request.PathValue("machine") {
			continue
		}
		return v.Show("question", "Deactivate this machine?", kit.Question{
			Name: one.Title(), Text: "The program stops working on this machine, and another machine can be activated instead.", Org: data.Org,
			Action: licensesPath + "/free", Field: "place", Value: data.License.ID + " " + one.ID, Button: "Deactivate machine",
			Back: licensesPath + "/" + url.PathEscape(data.License.ID),
		})
	}
	return kit.ErrNoPage
}

func (v *visit) freeMachine() error {
	of, machine, _ := strings.Cut(v.Form.Text("place"), " ")
	back := licensesPath + "/" + url.PathEscape(of)
	if _, err := v.Me().LicenseMachineDeactivate(v.Context(), client.LicenseMachineDeactivateParams{MachineID: new(machine), OrgID: v.Org()}); err != nil {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong(v.Form.Message, back)
	}
	return v.Done("The machine was deactivated.", back)
}

func (v *visit) giveSeat() error {
	p := client.LicenseSeatAssignParams{LicenseID: v.Form.Text("license_id"), Email: new(v.Form.Text("email")), OrgID: v.Org()}
	if _, err := v.Me().LicenseSeatAssign(v.Context(), p); err != nil {
		return v.Retry(err, v.license, "email")
	}
	return v.Done("The seat was assigned.", v.licensePage())
}

func (v *visit) takeSeat() error {
	p := client.LicenseSeatUnassignParams{
		LicenseID: v.Form.Text("license_id"), Email: client.Given(v.Form.Text("seat_email")), UserID: client.Given(v.Form.Text("user_id")), OrgID: v.Org(),
	}
	if _, err := v.Me().LicenseSeatUnassign(v.Context(), p); err != nil {
		return v.Retry(err, v.license)
	}
	return v.Done("The seat was unassigned.", v.licensePage())
}
