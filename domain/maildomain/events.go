package maildomain

import (
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of domains.
const (
	KindAdded    event.Kind = "domain.added"
	KindVerified event.Kind = "domain.verified"
	KindUpdated  event.Kind = "domain.updated"
	KindRemoved  event.Kind = "domain.removed"
	KindLost     event.Kind = "domain.lost"
)

// Added is the content of domain.added.
type Added struct {
	DomainID ID           `json:"domain_id" doc:"ID of the domain claim."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Domain   email.Domain `json:"domain" doc:"Claimed domain, not verified yet."`
}

// Verified is the content of domain.verified.
type Verified struct {
	DomainID ID           `json:"domain_id" doc:"ID of the domain claim."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Domain   email.Domain `json:"domain" doc:"Verified domain."`
}

// Updated is the content of domain.updated.
type Updated struct {
	DomainID ID           `json:"domain_id" doc:"ID of the domain claim."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Changed  []string     `json:"changed" doc:"Names of the changed fields."`
}

// Removed is the content of domain.removed.
type Removed struct {
	DomainID ID           `json:"domain_id" doc:"ID of the removed domain claim."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Domain   email.Domain `json:"domain" doc:"Removed domain."`
}

// Lost is the content of domain.lost.
type Lost struct {
	DomainID ID           `json:"domain_id" doc:"ID of the domain claim, which is kept. TEAM.DOMAIN_VERIFY verifies it again once the record is back."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Domain   email.Domain `json:"domain" doc:"Domain that the workspace lost."`
}

func (Added) Kind() event.Kind    { return KindAdded }
func (Verified) Kind() event.Kind { return KindVerified }
func (Updated) Kind() event.Kind  { return KindUpdated }
func (Removed) Kind() event.Kind  { return KindRemoved }
func (Lost) Kind() event.Kind     { return KindLost }

func (e Lost) Concerns() event.Concern { return event.Concern{OrgID: e.OrgID.String(), Failed: true} }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		one  = ID("dom_01jd7x9k2mf3q8v5t0abcdefgh")
		org  = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		name = email.Domain("example.com")
	)
	return []event.Definition{
		{Summary: "A workspace claimed an email domain.", Example: Added{one, org, name}},
		{Summary: "A claimed email domain was verified.", Example: Verified{one, org, name}},
		{Summary: "The rules of an email domain were updated.", Example: Updated{one, org, []string{"auto_join"}}},
		{Summary: "A workspace removed an email domain.", Example: Removed{one, org, name}},
		{Summary: "A workspace lost a verified email domain, because its DNS record was missing for 7 days.", Example: Lost{one, org, name}},
	}
}
