package workspace

import (
	"net/url"
	"slices"
	"time"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/maildomain"
)

// mailDomain is a domain claimed by the workspace.
type mailDomain struct {
	ID       string `json:"id"`
	Domain   string `json:"domain"`
	Status   string `json:"status"`
	AutoJoin bool   `json:"auto_join"`
	Role     string `json:"role"`
	Record   struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"dns_record"`
	// LostAt is when the workspace loses a domain whose DNS record is missing.
	LostAt time.Time `json:"lost_at"`
}

// Verified reports whether ownership of the domain is verified.
func (d mailDomain) Verified() bool { return d.Status == "verified" }

// domainsData is the data of the domain pages.
type domainsData struct {
	workspaceSection

	Items []mailDomain
	// One is the domain of the page, and Offer the roles to join with.
	One   mailDomain
	Offer []string
}

func (v *visit) domains() error {
	in, err := v.workspaceSection(domainsTab)
	if err != nil {
		return err
	}
	var all kit.List[mailDomain]
	if err := v.Act("TEAM.DOMAIN_LIST", nil, &all); err != nil {
		return err
	}
	return v.Show("domains", "Domains", domainsData{workspaceSection: in, Items: all.Items})
}

// joining returns the roles that members of a domain may join with: those that do not
// allow inviting others.
func (r rights) joining(held access.Permissions) []string {
	mild := slices.DeleteFunc(r.within(held), func(one workspaceRole) bool { return !maildomain.Joinable(r.grants(one.Name)) })
	return mild.names()
}

func (v *visit) newDomain() error {
	in, err := v.workspaceForm(domainsTab, "domains:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	return v.Show("domain", "New domain", domainsData{workspaceSection: in, Offer: all.joining(in.Scopes)})
}

func (v *visit) addDomain() error {
	p := kit.Params{"domain": v.Form.Text("domain"), "auto_join": v.Form.Text("auto_join") != ""}.Text("role", v.Form.Text("role"))
	if err := v.Act("TEAM.DOMAIN_ADD", p, nil); err != nil {
		return v.Retry(err, v.newDomain, "domain", "role")
	}
	return v.Done("The domain was added. Publish its DNS record, then verify it.", kit.WorkspacesPath+"/domains")
}

// someDomain returns a domain of the workspace. It fails with kit.ErrNoPage.
func (v *visit) someDomain() (domainsData, error) {
	in, err := v.workspaceForm(domainsTab, "domains:write")
	if err != nil {
		return domainsData{}, err
	}
	var known kit.List[mailDomain]
	if err := v.Act("TEAM.DOMAIN_LIST", nil, &known); err != nil {
		return domainsData{}, err
	}
	id := v.ID("domain_id")
	at := slices.IndexFunc(known.Items, func(one mailDomain) bool { return one.ID == id })
	if at < 0 {
		return domainsData{}, kit.ErrNoPage
	}
	all, err := v.rights()
	return domainsData{workspaceSection: in, One: known.Items[at], Offer: all.joining(in.Scopes)}, err
}

func (v *visit) domain() error {
	data, err := v.someDomain()
	if err != nil {
		return err
	}
	if v.Form.Values == nil {
		v.Form.Values = url.Values{"role": {data.One.Role}}
		if data.One.AutoJoin {
			v.Form.Values.Set("auto_join", "1")
		}
	}
	return v.Show("domain", data.One.Domain, data)
}

func (v *visit) changeDomain() error {
	p := kit.Params{"domain_id": v.Form.Text("domain_id"), "auto_join": v.Form.Text("auto_join") != ""}.Text("role", v.Form.Text("role"))
	if err := v.Act("TEAM.DOMAIN_UPDATE", p, nil); err != nil {
		return v.Retry(err, v.domain, "role")
	}
	return v.Done("The domain was updated.", kit.WorkspacesPath+"/domains")
}

func (v *visit) verifyDomain() error {
	var found struct {
		Domain mailDomain `json:"domain"`
	}
	if err := v.Act("TEAM.DOMAIN_VERIFY", kit.Params{"domain_id": v.Form.Text("domain_id")}, &found); err != nil {
		return v.Retry(err, v.domains)
	}
	return v.Done(found.Domain.Domain+" is verified.", kit.WorkspacesPath+"/domains")
}

// askDomain asks for confirmation before a domain is removed.
func (v *visit) askDomain() error {
	data, err := v.someDomain()
	if err != nil {
		return err
	}
	return v.Show("question", "Remove this domain?", kit.Question{
		Name: data.One.Domain, Text: "People with an address at this domain can no longer join by themselves, and other workspaces can claim the domain. Existing members stay.", Org: data.Org,
		Action: kit.WorkspacesPath + "/domains/remove", Field: "domain_id", Value: data.One.ID, Button: "Remove domain", Back: kit.WorkspacesPath + "/domains",
	})
}

func (v *visit) removeDomain() error {
	if err := v.Act("TEAM.DOMAIN_REMOVE", kit.Params{"domain_id": v.Form.Text("domain_id")}, nil); err != nil {
		return v.Retry(err, v.domains)
	}
	return v.Done("The domain was removed.", kit.WorkspacesPath+"/domains")
}
