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
	RuleID ID           `json:"rule_id" doc:"ID of the new rule."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Workspace of the rule. Omitted for a rule of the instance."`
	Scope  Scope        `json:"scope" doc:"Scope of the rule: the instance or a workspace."`
	CIDR   string       `json:"cidr" doc:"Address range in CIDR notation."`
	Action Action       `json:"action" doc:"Action for addresses in the range."`
	List   List         `json:"list,omitzero" doc:"Named list that the range is on. Omitted if it is on none."`
}

// Updated is the content of ip_rule.updated.
type Updated struct {
	RuleID  ID           `json:"rule_id" doc:"ID of the rule."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"Workspace of the rule. Omitted for a rule of the instance."`
	CIDR    string       `json:"cidr" doc:"Address range in CIDR notation."`
	Action  Action       `json:"action" doc:"Action for addresses in the range after the change."`
	Enabled bool         `json:"enabled" doc:"Whether the rule is enabled after the change."`
	Changed []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of ip_rule.deleted.
type Deleted struct {
	RuleID ID           `json:"rule_id" doc:"ID of the deleted rule."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Workspace of the rule. Omitted for a rule of the instance."`
	CIDR   string       `json:"cidr" doc:"Address range in CIDR notation."`
	Action Action       `json:"action" doc:"Action the rule had for addresses in the range."`
	List   List         `json:"list,omitzero" doc:"Named list that the range was on. Omitted if it was on none."`
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
		{Summary: "An address rule was created.", Example: Created{rule, org, OfWorkspace, office, Allow, "offices"}},
		{Summary: "An address rule was updated.", Example: Updated{rule, org, office, Deny, true, []string{"action"}}},
		{Summary: "An address rule was deleted.", Example: Deleted{rule, org, office, Deny, ""}},
	}
}
