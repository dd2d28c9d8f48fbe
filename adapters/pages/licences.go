package pages

import (
	"cmp"
	"net/url"
	"strings"
	"time"
)

// licencesPath is the list of a person's licences.
const licencesPath = account + "/licences"

// Names of the tabs in addresses.
const (
	issuedTab   = "issued"
	productsTab = "products"
	policiesTab = "policies"
	featuresTab = "features"
)

// licensingSection is the workspace of a licensing page.
type licensingSection struct{ workspaceSection }

func (v *visit) licensingSection(tab string) (licensingSection, error) {
	in, err := v.workspaceSection(tab)
	return licensingSection{in}, err
}

// Tabs returns the licensing pages that the person may see.
func (s licensingSection) Tabs() []entry {
	tabs := []entry{{Path: licencesPath, Label: "Your licences", Here: s.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{issuedTab, "Issued", "licenses:read"},
		{productsTab, "Products", "products:read"},
		{policiesTab, "Policies", "licenses:read"},
		{featuresTab, "Features", "features:read"},
	} {
		if s.May(one.permission) {
			tabs = append(tabs, entry{Path: licencesPath + "/" + one.name, Label: one.label, Here: s.Tab == one.name})
		}
	}
	return tabs
}

// licence is a licence with the name of its product.
type licence struct {
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

// Good reports whether the licence is active.
func (l licence) Good() bool { return l.Status == "active" }

// Files reports whether offline licence files can be issued.
func (l licence) Files() bool { return l.OfflineDays > 0 && l.Good() }

type licenceMachine struct {
	ID          string    `json:"id"`
	Fingerprint string    `json:"machine"`
	Name        string    `json:"name"`
	Platform    string    `json:"platform"`
	Status      string    `json:"status"`
	LastSeen    time.Time `json:"last_seen"`
}

// Title returns the name of the machine, or else its fingerprint.
func (m licenceMachine) Title() string { return cmp.Or(m.Name, m.Fingerprint) }

// licenceSeat is a seat assigned to a person.
type licenceSeat struct {
	UserID string `json:"user_id"`
	Email  string `json:"email"`
}

// Title returns the address of the person, or else the identifier.
func (s licenceSeat) Title() string { return cmp.Or(s.Email, s.UserID) }

// licencesData is the data of the list of licences.
type licencesData struct {
	licensingSection

	Items []licence
	More  string
}

// named sets the product names of licences, or the product identifier where the product
// is not public.
func (v *visit) named(all []licence) {
	names := map[string]string{}
	for i, one := range all {
		if names[one.ProductID] == "" {
			var found struct {
				Product product `json:"product"`
			}
			names[one.ProductID] = one.ProductID
			if v.act("PRODUCT.GET", params{"product_id": one.ProductID}, &found) == nil {
				names[one.ProductID] = found.Product.Name
			}
		}
		all[i].Product = names[one.ProductID]
	}
}

func (v *visit) licences() error {
	in, err := v.licensingSection("")
	if err != nil {
		return err
	}
	const few = 20 // one more request for each
	var held list[licence]
	if err := v.call("LICENSE.LIST", params{"user_id": in.Subject, "limit": few}.text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	v.named(held.Items)
	return v.show("licences", "Licences", licencesData{in, held.Items, held.NextCursor})
}

// licenceData is the data of the page of a licence.
type licenceData struct {
	licensingSection

	License  licence          `json:"license"`
	Machines []licenceMachine `json:"machines"`
	Seats    []licenceSeat    `json:"seats"`
	// Issued reports whether the active workspace issued the licence and the person may
	// change it. Made is its key, if it was just created.
	Issued bool
	Made   *kept
}

// NamedSeats reports whether seats are assigned to people.
func (d licenceData) NamedSeats() bool {
	return !d.License.Floating && (d.License.Seats > 0 || len(d.Seats) > 0)
}

// someLicence returns the licence of the path or the form.
func (v *visit) someLicence() (licenceData, error) {
	in, err := v.licensingSection("")
	if err != nil {
		return licenceData{}, err
	}
	data := licenceData{licensingSection: in}
	if err := v.act("LICENSE.GET", params{"license_id": v.id("license_id")}, &data); err != nil {
		return data, err
	}
	data.Issued = data.License.OrgID == in.Org && in.May("licenses:write")
	if data.License.UserID != in.Subject && in.May("licenses:read") {
		data.Tab = issuedTab
	}
	one := []licence{data.License}
	v.named(one)
	data.License = one[0]
	return data, nil
}

func (v *visit) licence() error {
	data, err := v.someLicence()
	if err != nil {
		return err
	}
	if made := v.state.Shown; made != nil && made.Name == data.License.ID {
		whose := "Licence of " + data.License.Product
		data.Made = &kept{Name: "the key", Text: made.Key, FileName: "licence.txt", File: whose + "\n\n" + made.Key + "\n", For: whose}
		v.state.Shown = nil
	}
	return v.show("licence", data.License.Product, data)
}

// licencePage returns the page of the licence in the form.
func (v *visit) licencePage() string {
	return licencesPath + "/" + url.PathEscape(v.form.text("license_id"))
}

// askMachine asks for confirmation before a machine is removed.
func (v *visit) askMachine() error {
	data, err := v.someLicence()
	if err != nil {
		return err
	}
	for _, one := range data.Machines {
		if one.ID != v.r.PathValue("machine") {
			continue
		}
		return v.show("question", "Free this machine's place?", question{
			Name: one.Title(), Text: "The program stops working there, and another machine can take the place.", Org: data.Org,
			Action: licencesPath + "/free", Field: "place", Value: data.License.ID + " " + one.ID, Button: "Free the place",
			Back: licencesPath + "/" + url.PathEscape(data.License.ID),
		})
	}
	return errNoPage
}

func (v *visit) freeMachine() error {
	of, machine, _ := strings.Cut(v.form.text("place"), " ")
	back := licencesPath + "/" + url.PathEscape(of)
	if err := v.act("LICENSE.MACHINE_DEACTIVATE", params{"machine_id": machine}, nil); err != nil {
		if err := v.refused(err); err != nil {
			return err
		}
		return v.wrong(v.form.Message, back)
	}
	return v.done("The place is free.", back)
}

func (v *visit) giveSeat() error {
	p := params{"license_id": v.form.text("license_id"), "email": v.form.text("email")}
	if err := v.act("LICENSE.SEAT_ASSIGN", p, nil); err != nil {
		return v.retry(err, (*visit).licence, "email")
	}
	return v.done("The seat was given.", v.licencePage())
}

func (v *visit) takeSeat() error {
	p := params{"license_id": v.form.text("license_id")}.text("email", v.form.text("seat_email")).text("user_id", v.form.text("user_id"))
	if err := v.act("LICENSE.SEAT_UNASSIGN", p, nil); err != nil {
		return v.retry(err, (*visit).licence)
	}
	return v.done("The seat is free.", v.licencePage())
}
