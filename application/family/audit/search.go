package audit

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// reading is the permission to read a workspace's log.
const reading = "audit:read"

var errReading = fault.New(fault.Denied, "searching the workspace's audit log requires the scope "+reading)

// SearchParams are the parameters of AUDIT.SEARCH.
type SearchParams struct {
	OrgID     workspace.ID  `json:"org_id,omitzero" doc:"ID of the workspace whose events to return in addition to your own. Defaults to the active workspace, or to the whole instance if you are a superadmin." example:"-"`
	UserID    user.ID       `json:"user_id,omitzero" doc:"ID of the user the event is about."`
	IP        netip.Addr    `json:"ip,omitzero" doc:"IP address the event was caused from, IPv4 or IPv6." jsonschema:"minLength=2,maxLength=64,example=192.0.2.1"`
	Type      event.Kind    `json:"type,omitzero" doc:"Event type, such as login.failed. EVENT.KIND_LIST lists all types." jsonschema:"minLength=1,maxLength=100,example=login.failed"`
	Outcome   event.Outcome `json:"outcome,omitzero" doc:"Whether the action succeeded." jsonschema:"enum=success,enum=failure"`
	ActorID   string        `json:"actor_id,omitzero" doc:"ID of the actor who caused the event." jsonschema:"minLength=1,maxLength=100,example=usr_01jd7x9k2mf3q8v5t0abcdefgh"`
	RequestID string        `json:"request_id,omitzero" doc:"X-Request-Id of the request that caused the event." jsonschema:"minLength=1,maxLength=200"`
	From      time.Time     `json:"from,omitzero" doc:"Start of the time range, inclusive."`
	To        time.Time     `json:"to,omitzero" doc:"End of the time range, exclusive."`
	page.Params
}

// SearchResult is the result of AUDIT.SEARCH.
type SearchResult = page.Of[view.AuditEntry]

func (s *Service) search() command.Definition {
	return command.Define(command.Spec[SearchParams, SearchResult]{
		Name:    "AUDIT.SEARCH",
		Summary: "Search the event log.",
		Description: "Returns events, newest first:\n\n- Everyone finds the events that concern them or that they caused.\n- With `audit:read`, you " +
			"also find the events of the active workspace.\n- Superadmins find all events, or the events of the workspace in `org_id`.\n\nIf " +
			"another user or an app caused an event, its address, user agent, session and API key are shown only for events of the workspace.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SearchParams) (SearchResult, error) {
			query, err := narrow(call.Caller, p)
			if err != nil {
				return SearchResult{}, err
			}
			scope := "AUDIT.SEARCH " + call.Caller.Subject()
			list := s.Cursors.List(scope, p.Params)
			position := func(r event.Record) string { return r.ID.String() }
			show := func(r event.Record) view.AuditEntry { return entry(call.Caller, r) }
			return page.Read(list, position, show, func(before string, most int) ([]event.Record, error) {
				query.Before, query.Limit = event.ID(before), most
				return s.Trail.Search(ctx, query)
			})
		},
	})
}

// narrow makes the query of the parameters, within what the caller may see.
func narrow(caller access.Caller, p SearchParams) (outbound.AuditQuery, error) {
	query := outbound.AuditQuery{
		User: p.UserID, Kind: p.Type, Outcome: p.Outcome, ActorID: p.ActorID, RequestID: p.RequestID, From: p.From, To: p.To,
	}
	if p.IP.IsValid() {
		query.IP = p.IP.Unmap().String()
	}
	if err := inOrder(p.From, p.To); err != nil {
		return query, err
	}
	if caller.Superadmin {
		query.Org = p.OrgID
		return query, nil
	}
	query.Own = caller.User
	switch {
	case caller.May(reading):
		query.Org = caller.Org
		return query, nil
	case caller.Kind == access.App:
		return query, errReading
	case p.UserID != "" && p.UserID != caller.User:
		return query, user.ErrNotFound
	}
	return query, nil
}

// inOrder fails where a range ends before it begins.
func inOrder(from, to time.Time) error {
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		return fault.Unfit("/to", "must not be before from")
	}
	return nil
}

// entry shows an event. Whoever finds it as their own alone does not learn where
// another one, such as an administrator or an app, acted from.
func entry(caller access.Caller, r event.Record) view.AuditEntry {
	shown := view.OfEvent(r)
	byAnother := r.Origin.ActorKind == "app" || (r.Origin.ActorKind == "user" && r.Origin.ActorID != caller.User.String())
	ofWorkspace := caller.May(reading) && r.OrgID == caller.Org.String()
	if byAnother && !ofWorkspace && !caller.Superadmin {
		shown.SessionID, shown.APIKeyID, shown.IP, shown.UserAgent = nil, nil, nil, nil
	}
	return shown
}
