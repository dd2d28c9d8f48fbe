package commerce

import (
	"cmp"
	"net/url"
	"strings"
	"time"

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
	ID          string    `json:"id"`
	OrgID       string    `json:"org_id"`
	ProductID   string    `json:"product_id"`
	UserID      string    `json:"user_id"`
	OwnerOrgID  string    `json:"owner_org_id"`
	Status      string    `json:"status"`
	Reason      string    `json:"reason"`
	ExpiresAt   time.Time `json:"expires_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
	CreatedAt   time.Time `json:"created_at"`
	Seats       int       `json:"seats"`
	Floating    bool      `json:"floating"`
	MaxMachines int       `json:"max_machines"`
	OfflineDays int       `json:"offline_days"`

	Features map[string]any `json:"features"`

	Product string `json:"-"`
}

// Good reports whether the license is active.
func (l license) Good() bool { return l.Status == "active" }

// Files reports whether offline license files can be issued.
func (l license) Files() bool { return l.OfflineDays > 0 && l.Good() }

type licenseMachine struct {
	ID          string    `json:"id"`
	Fingerprint string    `json:"machine"`
	Name        string    `json:"name"`
	Platform    string    `json:"platform"`
	Status      string    `json:"status"`
	LastSeen    time.Time `json:"last_seen"`
}

// Title returns the name of the machine, or else its fingerprint.
func (m licenseMachine) Title() string { return cmp.Or(m.Name, m.Fingerprint) }

// licenseSeat is a seat assigned to a person.
type licenseSeat struct {
	UserID string `json:"user_id"`
	Email  string `json:"email"`
}

// Title returns the address of the person, or else the identifier.
func (s licenseSeat) Title() string { return cmp.Or(s.Email, s.UserID) }

// licensesData is the data of the list of licenses.
type licensesData struct {
	licensingSection

	Items []license
	More  string
}

// named sets the product names of licenses, or the product identifier where the product
// is not public.
func (v *visit) named(all []license) {
	names := map[string]string{}
	for i, one := range all {
		if names[one.ProductID] == "" {
			var found struct {
				Product product `json:"product"`
			}
			names[one.ProductID] = one.ProductID
			if v.Act("PRODUCT.GET", kit.Params{"product_id": one.ProductID}, &found) == nil {
				names[one.ProductID] = found.Product.Name
			}
		}
		all[i].Product = names[one.ProductID]
	}
}

func (v *visit) licenses() error {
	in, err := v.licensingSection("")
	if err != nil {
		return err
	}
	const few = 20 // one more request for each
	var held kit.List[license]
	if err := v.Call("LICENSE.LIST", kit.Params{"user_id": in.Subject, "limit": few}.Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	v.named(held.Items)
	return v.Show("licenses", "Licenses", licensesData{in, held.Items, held.NextCursor})
}

// licenseData is the data of the page of a license.
type licenseData struct {
	licensingSection

	License  license          `json:"license"`
	Machines []licenseMachine `json:"machines"`
	Seats    []licenseSeat    `json:"seats"`
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
	data := licenseData{licensingSection: in}
	if err := v.Act("LICENSE.GET", kit.Params{"license_id": v.ID("license_id")}, &data); err != nil {
		return data, err
	}
	data.Issued = data.License.OrgID == in.Org && in.May("licenses:write")
	if data.License.UserID != in.Subject && in.May("licenses:read") {
		data.Tab = issuedTab
	}
	one := []license{data.License}
	v.named(one)
	data.License = one[0]
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
	if err := v.Act("LICENSE.MACHINE_DEACTIVATE", kit.Params{"machine_id": machine}, nil); err != nil {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong(v.Form.Message, back)
	}
	return v.Done("The machine was deactivated.", back)
}

func (v *visit) giveSeat() error {
	p := kit.Params{"license_id": v.Form.Text("license_id"), "email": v.Form.Text("email")}
	if err := v.Act("LICENSE.SEAT_ASSIGN", p, nil); err != nil {
		return v.Retry(err, v.license, "email")
	}
	return v.Done("The seat was assigned.", v.licensePage())
}

func (v *visit) takeSeat() error {
	p := kit.Params{"license_id": v.Form.Text("license_id")}.Text("email", v.Form.Text("seat_email")).Text("user_id", v.Form.Text("user_id"))
	if err := v.Act("LICENSE.SEAT_UNASSIGN", p, nil); err != nil {
		return v.Retry(err, v.license)
	}
	return v.Done("The seat was unassigned.", v.licensePage())
}
