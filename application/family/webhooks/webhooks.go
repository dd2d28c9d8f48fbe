// Package webhooks implements the family WEBHOOK: endpoints that receive events, and
// the deliveries to them.
package webhooks

import (
	"maps"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/webhooks"
)

// The permissions of the family.
const (
	reading = "webhooks:read"
	writing = "webhooks:write"
)

// errInstance is returned to callers who may not see webhooks of the instance.
var errInstance = fault.New(fault.Denied, "only superadmins can access webhook endpoints of the instance")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Endpoints  webhooks.Endpoints
	Deliveries webhooks.Deliveries
	Events     outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit         outbound.Unit[Repos]
	Transactions outbound.Transactions
	Jobs         jobs.Desk
	Endpoints    webhooks.EndpointDirectory
	Deliveries   webhooks.DeliveryDirectory
	Feed         webhooks.Feed
	Sender       webhooks.Sender
	// Kinds returns every kind; it is complete only after the families are.
	Kinds   func() *kinds.Catalog
	Cursors page.Cursors
	Clock   outbound.Clock
	IDs     outbound.IDs
	Random  outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.get(),
		s.list(),
		s.update(),
		s.delete(),
		s.rotateSecret(),
		s.test(),
		s.deliveryList(),
		s.deliveryGet(),
		s.replay(),
		s.bulkReplay(),
		s.deadLetterList(),
		s.deadLetterDiscard(),
		s.statsGet(),
	}
}

// Scope says whose webhooks are meant.
type Scope string

// The scopes.
const (
	OfInstance  Scope = "instance"
	OfWorkspace Scope = "workspace"
)

// owner returns the workspace that a call is about; empty for the instance, which is what
// superadmins mean who name no workspace. It fails with errInstance or workspace.ErrNotFound.
func owner(caller access.Caller, scope Scope, named workspace.ID) (workspace.ID, error) {
	switch {
	case scope == OfInstance && !caller.Superadmin:
		return "", errInstance
	case scope == OfInstance && named != "":
		return "", fault.Unfit("/scope", "cannot be instance if org_id is set")
	case scope == OfInstance, scope == "" && caller.Superadmin && named == "":
		return "", nil
	case caller.Org == "":
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// visible fails with an error unless what belongs to a workspace, or the instance, is visible.
func visible(caller access.Caller, org workspace.ID, absent error) error {
	if !caller.Sees(org) {
		return absent
	}
	return nil
}

// Webhook is an endpoint in results.
type Webhook struct {
	ID             webhook.ID    `json:"id" doc:"ID of the webhook endpoint."`
	Scope          Scope         `json:"scope" doc:"Whether the endpoint receives all events of the instance, or the events of its workspace." jsonschema:"enum=instance,enum=workspace"`
	OrgID          *workspace.ID `json:"org_id" doc:"ID of the workspace. Null for an endpoint of the instance."`
	URL            string        `json:"url" doc:"URL that messages are posted to."`
	Events         []event.Kind  `json:"events" doc:"Event types the endpoint receives: names, resource.* or *."`
	Description    string        `json:"description" doc:"Description for your own use."`
	Headers        []string      `json:"headers" doc:"Names of the headers added to every message. Their values are never returned."`
	RateLimit      *int          `json:"rate_limit" doc:"Maximum number of messages per second. Null if unlimited."`
	Enabled        bool          `json:"enabled" doc:"Whether the endpoint receives messages."`
	DisabledReason *string       `json:"disabled_reason" doc:"Why the endpoint is disabled: switched_off (by a person), gone (the receiver answered 410) or failing (every attempt failed for days). Null if enabled."`
	FailureStreak  int           `json:"failure_streak" doc:"Number of failed attempts since the last success."`
	FailingSince   *time.Time    `json:"failing_since" doc:"When the first attempt of the failure streak failed. Null if the last attempt succeeded."`
	CreatedAt      time.Time     `json:"created_at" doc:"When the endpoint was created."`
	UpdatedAt      time.Time     `json:"updated_at" doc:"When the endpoint last changed."`
}

func show(s webhook.Snapshot) Webhook {
	shown := Webhook{
		ID: s.ID, Scope: OfWorkspace, OrgID: view.Text(s.OrgID), URL: s.URL, Events: s.Events, Description: s.Description,
		Headers: append([]string{}, slices.Sorted(maps.Keys(s.Headers))...), Enabled: s.Enabled, DisabledReason: view.Text(s.Disabled),
		FailureStreak: s.Streak, FailingSince: moment(s.FailingSince), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if s.OrgID == "" {
		shown.Scope = OfInstance
	}
	if s.RateLimit > 0 {
		shown.RateLimit = &s.RateLimit
	}
	return shown
}

// moment returns a time that may be absent.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }
