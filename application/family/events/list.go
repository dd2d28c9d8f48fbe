package events

import (
	"context"
	"strconv"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// ListParams are the parameters of EVENT.LIST.
type ListParams struct {
	OrgID       workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose events to read. Defaults to the active workspace, or to all events of the instance if you are a superadmin." example:"-"`
	Types       []event.Kind `json:"types,omitzero" doc:"Returns only these event types: names, resource.* for all types of a resource, or *." jsonschema:"minItems=1,maxItems=100,uniqueItems=true,minLength=1,maxLength=100,example=user.*"`
	After       event.ID     `json:"after,omitzero" doc:"ID of the last event you have. Returns the events that follow it." example:"-"`
	From        time.Time    `json:"from,omitzero" doc:"Start time to read from. Ignored if after or cursor is given." example:"-"`
	WaitSeconds int          `json:"wait_seconds,omitzero" doc:"How long to wait for the next event if there is none yet. Seconds." jsonschema:"minimum=0,maximum=25" example:"-"`
	page.Params
}

// ListResult is the result of EVENT.LIST.
type ListResult struct {
	Items      []Event `json:"items" doc:"Events, oldest first."`
	NextCursor *string `json:"next_cursor" doc:"Cursor for the next page. Set whenever there is more to read, even if items is empty because no event matched. Null at the end of the feed: continue with after set to the last event you have."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "EVENT.LIST",
		Summary: "List events, oldest first.",
		Description: "A feed for programs that poll instead of receiving webhooks. If you always continue with `after` set to the last event you have, " +
			"you miss no event, whenever it was committed.\n\nUse `wait_seconds` for long polling.",
		Access: access.Holding("events:read"),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			query, err := s.query(ctx, call.Caller, p)
			if err != nil {
				return ListResult{}, err
			}
			return s.poll(ctx, s.cursors(call.Caller, p), query, time.Duration(p.WaitSeconds)*time.Second)
		},
	})
}

// bound returns the workspace that a caller reads the events of; "" is all.
func bound(caller access.Caller, named workspace.ID) (workspace.ID, error) {
	switch {
	case caller.Superadmin:
		return named, nil
	case caller.Org == "":
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

func (s *Service) cursors(caller access.Caller, p ListParams) page.List {
	return s.Cursors.List("EVENT.LIST|"+caller.Subject()+"|"+p.OrgID.String(), p.Params)
}

// query says from where on a caller reads which events.
func (s *Service) query(ctx context.Context, caller access.Caller, p ListParams) (query webhooks.FeedQuery, err error) {
	if query.Org, err = bound(caller, p.OrgID); err != nil {
		return query, err
	}
	if query.Kinds, err = s.Kinds().Expand("/types", p.Types); err != nil {
		return query, err
	}
	query.Limit = p.Size()
	cursor, err := s.cursors(caller, p).Position()
	if err != nil {
		return query, err
	}
	if err := s.Feed.Refresh(ctx); err != nil {
		return query, err
	}
	switch {
	case cursor != "":
		at, err := strconv.ParseInt(cursor, 10, 64)
		query.After = webhooks.Position(at)
		return query, err
	case p.After != "":
		query.After, err = s.Feed.After(ctx, query.Org, p.After)
	case !p.From.IsZero():
		query.After, err = s.Feed.Since(ctx, p.From)
	}
	return query, err
}

// lookEvery is how often a call that waits looks for an event.
const lookEvery = 250 * time.Millisecond

// poll reads a page; where that is empty, again until the time is over, or the service stops.
func (s *Service) poll(ctx context.Context, list page.List, query webhooks.FeedQuery, patience time.Duration) (ListResult, error) {
	for waited := time.Duration(0); ; waited += lookEvery {
		found, err := s.Feed.Read(ctx, query)
		if err != nil {
			return ListResult{}, err
		}
		if len(found.Events) > 0 || found.More || waited >= patience {
			return answer(list, found), nil
		}
		query.After = found.Position
		if waited > 0 && s.leaving() {
			return answer(list, found), nil // another replica goes on
		}
		if err := wait.For(ctx, lookEvery); err != nil {
			return ListResult{}, err
		}
		if err := s.Feed.Refresh(ctx); err != nil {
			return ListResult{}, err
		}
	}
}

// leaving reports whether the service stops. Who asks meanwhile waits for a look all the same:
// where there is no other replica, callers who poll would ask without a pause.
func (s *Service) leaving() bool {
	select {
	case <-s.Leaving:
		return true
	default:
		return false
	}
}

func answer(list page.List, found webhooks.FeedPage) ListResult {
	result := ListResult{Items: make([]Event, len(found.Events))}
	for i, one := range found.Events {
		result.Items[i] = show(one)
	}
	if found.More {
		result.NextCursor = list.Next(strconv.FormatInt(int64(found.Position), 10))
	}
	return result
}
