package workspace

import (
	"net/url"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/maildomain"
)

// mailDomain is a domain claimed by the workspace.
type mailDomain struct{ client.TeamDomain }

// Verified reports whether ownership of the domain is verified.
func (d mailDomain) Verified() bool { return d.Status == client.TeamDomainStatusVerified }

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
	all, err := v.Me().TeamDomainList(v.Context(), client.TeamDomainListParams{OrgID: v.Org()})
	if err != nil {
		return err
	}
	return v.Show("domains", "Domains", domainsData{workspaceSection: in, Items: kit.Map(all.Items, func(one client.TeamDomain) mailDomain { return mailDomain{one} })})
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
	_, err := v.Me().TeamDomainAdd(v.Context(), client.TeamDomainAddParams{
		Domain: v.Form.Text("domain"), AutoJoin: new(v.Form.Text("auto_join") != ""), Role: client.Given(v.Form.Text("role")), OrgID: v.Org(),
	})
	if err != nil {
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
	known, err := v.Me().TeamDomainList(v.Context(), client.TeamDomainListParams{OrgID: v.Org()})
	if err != nil {
		return domainsData{}, err
	}
	id := v.ID("domain_id")
	at := slices.IndexFunc(known.Items, func(one client.TeamDomain) bool { return one.ID == id })
	if at < 0 {
		return domainsData{}, kit.ErrNoPage
	}
	all, err := v.rights()
	return domainsData{workspaceSection: in, One: mailDomain{known.Items[at]}, Offer: all.joining(in.Scopes)}, err
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
	_, err := v.Me().TeamDomainUpdate(v.Context(), client.TeamDomainUpdateParams{
		DomainID: v.Form.Text("domain_id"), AutoJoin: new(v.Form.Text("auto_join") != ""), Role: client.Given(v.Form.Text("role")), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.domain, "role")
	}
	return v.Done("The domain was updated.", kit.WorkspacesPath+"/domains")
}

func (v *visit) verifyDomain() error {
	found, err := v.Me().TeamDomainVerify(v.Context(), client.TeamDomainVerifyParams{DomainID: v.Form.Text("domain_id"), OrgID: v.Org()})
	if err != nil {
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
	if _, err := v.Me().TeamDomainRemove(v.Context(), client.TeamDomainRemoveParams{DomainID: v.Form.Text("domain_id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.domains)
	}
	return v.Done("The domain was removed.", kit.WorkspacesPath+"/domains")
}
