package oauth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// ofInstance is the scope of an API that belongs to no workspace.
const ofInstance = "instance"

// Errors of a registration.
var (
	errInstance = fault.New(fault.Denied, "an API of the instance is for superadmins to register")
	errTooMany  = fault.Unfit("/identifier", "would be the workspace's 501st audience, those counted whose API was deleted: ask a superadmin to register it")
)

// ResourceCreateParams are the parameters of OAUTH.RESOURCE_CREATE.
type ResourceCreateParams struct {
	Identifier       resource.Identifier  `json:"identifier" doc:"The audience: what stands in the aud of tokens for the API. It stays with the workspace, also once the API is deleted."`
	Name             app.Name             `json:"name" doc:"Name to show."`
	Scopes           []resource.Scope     `json:"scopes" doc:"What may be done there; empty: apps may ask for any scope. An API of the instance has at least one." jsonschema:"maxItems=200"`
	AccessTTLSeconds int                  `json:"access_ttl_seconds,omitzero" doc:"Seconds that tokens for it live at most, 60 to 86400; 0, when absent: what the app has." jsonschema:"minimum=0,maximum=86400,example=900"`
	SigningAlg       signingkey.Algorithm `json:"signing_alg,omitzero" doc:"What tokens for it must be signed with: none are issued while the instance signs with something else. Absent: whatever that is."`
	SkipConsent      bool                 `json:"skip_consent,omitzero" doc:"Whether people are not asked before an app acts there for them; for superadmins alone."`
	Scope            string               `json:"scope,omitzero" doc:"Whose it is: the active workspace's, when absent, or the instance's, for superadmins alone." jsonschema:"enum=instance,enum=workspace"`
}

func (s *Service) resourceCreate() command.Definition {
	return command.Define(command.Spec[ResourceCreateParams, Result]{
		Name: "OAUTH.RESOURCE_CREATE",
		Summary: "Register an API as audience of the active workspace, with its scopes, or confirm one that an app of the workspace was the first to ask for. " +
			"What another workspace has by first use alone a superadmin takes, and so does the workspace whose verified domain it is under; tokens for it end. " +
			"A superadmin registers APIs of the instance too.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{resource.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p ResourceCreateParams) (Result, error) {
			draft, err := p.draft(call.Caller)
			if err != nil {
				return Result{}, err
			}
			if err := s.Audiences.Registrable(ctx, call.Caller, draft.Identifier); err != nil {
				return Result{}, err
			}
			draft.ID = resource.NewID(s.IDs)
			var after resource.Snapshot
			err = s.Unit.Do(ctx, func(tx Repos) error {
				made, err := s.registered(ctx, tx, draft, call.Caller.Superadmin)
				if err != nil {
					return err
				}
				after = made.Snapshot()
				return tx.Resources.Save(ctx, made)
			})
			if err != nil {
				return Result{}, err
			}
			return Result{Resource: show(after)}, nil
		},
	})
}

// draft returns what is to be registered.
func (p ResourceCreateParams) draft(caller access.Caller) (resource.Draft, error) {
	draft := resource.Draft{
		OrgID: caller.Org, Identifier: string(p.Identifier), Name: string(p.Name), Scopes: p.Scopes,
		AccessTTL: time.Duration(p.AccessTTLSeconds) * time.Second, SigningAlg: p.SigningAlg, SkipConsent: p.SkipConsent,
		Origin: resource.ByWorkspace,
	}
	if caller.Superadmin {
		draft.Origin = resource.BySuperadmin
	}
	switch {
	case p.Scope == ofInstance && !caller.Superadmin:
		return draft, errInstance
	case p.Scope == ofInstance:
		draft.OrgID = ""
	case caller.Org == "":
		return draft, workspace.ErrNotFound
	}
	if p.SkipConsent && !caller.Superadmin {
		return draft, resource.ErrSkipConsent
	}
	return draft, nil
}

// registered creates the resource of a draft, or confirms the existing one of the same audience.
func (s *Service) registered(ctx context.Context, tx Repos, draft resource.Draft, superadmin bool) (*resource.Resource, error) {
	owner, err := tx.Domains.DomainOwner(ctx, draft.Identifier)
	if err != nil {
		return nil, err
	}
	held, found, err := tx.Resources.Holder(ctx, draft.Identifier)
	proved := owner != "" && owner == draft.OrgID
	switch {
	case err != nil:
		return nil, err
	case !superadmin && owner != "" && !proved, !held.Free(draft.OrgID, superadmin || proved):
		return nil, resource.ErrTaken
	case held != nil:
		err = tx.Resources.Assign(ctx, draft.Identifier, draft.OrgID)
	case !superadmin && !proved:
		err = room(ctx, tx, draft.OrgID)
	}
	if err != nil {
		return nil, err
	}
	if found != nil {
		return found, found.Confirm(draft, s.Clock.Now())
	}
	return resource.Register(draft, s.Clock.Now())
}

// room fails if a workspace has the maximum number of audiences.
func room(ctx context.Context, tx Repos, org workspace.ID) error {
	claimed, err := tx.Resources.Claimed(ctx, org)
	if err == nil && claimed >= resource.MostAudiences {
		return errTooMany
	}
	return err
}
