package audit

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// ChangeListParams are the parameters of AUDIT.CHANGE_LIST.
type ChangeListParams struct {
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Workspace whose configuration to look at; absent: the active one, and for a superadmin the instance." example:"-"`
	ResourceType string       `json:"resource_type" doc:"What changed, as in the kinds of its events: role, app, webhook, flow, policy, settings, team and so on." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9_]+$,example=role"`
	ResourceID   string       `json:"resource_id,omitzero" doc:"Which one: its identifier, or the kind of a policy, the name of a mail template, the command of a rate limit." jsonschema:"minLength=1,maxLength=200,example=rol_01jd7x9k2mf3q8v5t0abcdefgh"`
	ActorID      string       `json:"actor_id,omitzero" doc:"Who changed it." jsonschema:"minLength=1,maxLength=100,example=usr_01jd7x9k2mf3q8v5t0abcdefgh"`
	From         time.Time    `json:"from,omitzero" doc:"First moment to look at."`
	To           time.Time    `json:"to,omitzero" doc:"First moment beyond those to look at."`
	page.Params
}

// Change is one change of configuration.
type Change struct {
	At      time.Time       `json:"at" doc:"When."`
	Actor   view.Actor      `json:"actor" doc:"Who changed it."`
	Command *string         `json:"command" doc:"Command that was executed; null for background work."`
	Before  json.RawMessage `json:"before" doc:"What it was, without secrets; null for what was made."`
	After   json.RawMessage `json:"after" doc:"What it became, without secrets; null for what was deleted."`
}

// ChangeListResult is the result of AUDIT.CHANGE_LIST.
type ChangeListResult = page.Of[Change]

func (s *Service) changeList() command.Definition {
	return command.Define(command.Spec[ChangeListParams, ChangeListResult]{
		Name: "AUDIT.CHANGE_LIST",
		Summary: "List who changed configuration and how, newest first, with what it was before and after, for as long as events are kept: " +
			"that of a workspace, or of everything for superadmins.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ChangeListParams) (ChangeListResult, error) {
			if err := inOrder(p.From, p.To); err != nil {
				return ChangeListResult{}, err
			}
			query := outbound.ChangeQuery{
				Org: bound(call.Caller, p.OrgID), Resource: p.ResourceType, Object: p.ResourceID, ActorID: p.ActorID, From: p.From, To: p.To,
			}
			list := s.Cursors.List("AUDIT.CHANGE_LIST "+call.Caller.Subject(), p.Params)
			position := func(c outbound.Changed) string { return c.ID.String() }
			return page.Read(list, position, change, func(before string, most int) ([]outbound.Changed, error) {
				query.Before, query.Limit = event.ID(before), most
				return s.Trail.Changes(ctx, query)
			})
		},
	})
}

func change(c outbound.Changed) Change {
	return Change{
		At: c.At, Actor: view.ActorOf(c.Origin), Command: view.Text(c.Origin.Command),
		Before: state(c.Before), After: state(c.After),
	}
}

func state(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("null")
	}
	return text
}
