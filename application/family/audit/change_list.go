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
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose configuration changes to list. Defaults to the active workspace, or to the instance if you are a superadmin." example:"-"`
	ResourceType string       `json:"resource_type" doc:"Type of the changed resource, as in its event types: role, app, webhook, flow, policy, settings, team and so on." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9_]+$,example=role"`
	ResourceID   string       `json:"resource_id,omitzero" doc:"ID of the changed resource, or the kind of a policy, the name of an email template, the command of a rate limit." jsonschema:"minLength=1,maxLength=200,example=rol_01jd7x9k2mf3q8v5t0abcdefgh"`
	ActorID      string       `json:"actor_id,omitzero" doc:"ID of the actor who made the change." jsonschema:"minLength=1,maxLength=100,example=usr_01jd7x9k2mf3q8v5t0abcdefgh"`
	From         time.Time    `json:"from,omitzero" doc:"Start of the time range, inclusive."`
	To           time.Time    `json:"to,omitzero" doc:"End of the time range, exclusive."`
	page.Params
}

// Change is one change of configuration.
type Change struct {
	At      time.Time       `json:"at" doc:"When the change was made."`
	Actor   view.Actor      `json:"actor" doc:"Actor who made the change."`
	Command *string         `json:"command" doc:"Command that was executed. Null for background work."`
	Before  json.RawMessage `json:"before" doc:"State before the change, without secrets. Null if the resource was created."`
	After   json.RawMessage `json:"after" doc:"State after the change, without secrets. Null if the resource was deleted."`
}

// ChangeListResult is the result of AUDIT.CHANGE_LIST.
type ChangeListResult = page.Of[Change]

func (s *Service) changeList() command.Definition {
	return command.Define(command.Spec[ChangeListParams, ChangeListResult]{
		Name:    "AUDIT.CHANGE_LIST",
		Summary: "List changes to the configuration.",
		Description: "Returns who changed what, newest first, with the state before and after each change. Changes are kept as long as events.\n\nYou " +
			"see the changes of the active workspace. Superadmins can list the changes of the whole instance.",
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
