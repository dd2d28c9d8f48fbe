package iprule

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of address rules.
const (
	KindCreated event.Kind = "ip_rule.created"
	KindUpdated event.Kind = "ip_rule.updated"
	KindDeleted event.Kind = "ip_rule.deleted"
)

// Created is the content of ip_rule.created.
type Created struct {
	RuleID ID           `json:"rule_id" doc:"The new rule."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	Scope  Scope        `json:"scope" doc:"Whether it is of the instance or of a workspace."`
	CIDR   string       `json:"cidr" doc:"The range."`
	Action Action       `json:"action" doc:"What it does with addresses of the range."`
	List   List         `json:"list,omitzero" doc:"The list that it is on; absent: none."`
}

// Updated is the content of ip_rule.updated.
type Updated struct {
	RuleID  ID           `json:"rule_id" doc:"The rule."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	CIDR    string       `json:"cidr" doc:"The range."`
	Action  Action       `json:"action" doc:"What it does with addresses of the range now."`
	Enabled bool         `json:"enabled" doc:"Whether it is switched on now."`
	Changed []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of ip_rule.deleted.
type Deleted struct {
	RuleID ID           `json:"rule_id" doc:"The rule that is gone."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	CIDR   string       `json:"cidr" doc:"The range."`
	Action Action       `json:"action" doc:"What it did with addresses of the range."`
	List   List         `json:"list,omitzero" doc:"The list that it was on; absent: none."`
}

func (Created) Kind() event.Kind { return KindCreated }
func (Updated) Kind() event.Kind { return KindUpdated }
func (Deleted) Kind() event.Kind { return KindDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		rule   = ID("rul_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		office = "192.0.2.0/24"
	)
	return []event.Definition{
		{Summary: "A rule about an address range was made.", Example: Created{rule, org, OfWorkspace, office, Allow, "offices"}},
		{Summary: "A rule about an address range was changed.", Example: Updated{rule, org, office, Deny, true, []string{"action"}}},
		{Summary: "A rule about an address range was deleted.", Example: Deleted{rule, org, office, Deny, ""}},
	}
}
