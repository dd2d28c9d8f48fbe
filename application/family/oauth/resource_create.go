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
	errInstance = fault.New(fault.Denied, "only superadmins can register an API of the instance")
	errTooMany  = fault.Invalid("/identifier", "audience limit reached (500, including deleted APIs): ask a superadmin to register the API")
)

// ResourceCreateParams are the parameters of OAUTH.RESOURCE_CREATE.
type ResourceCreateParams struct {
	Identifier       resource.Identifier  `json:"identifier" doc:"Audience of the API, as in the aud claim of tokens. It stays reserved for the workspace, even after the API is deleted."`
	Name             app.Name             `json:"name" doc:"Display name."`
	Scopes           []resource.Scope     `json:"scopes" doc:"Scopes of the API. If empty, apps can request any scope. An API of the instance needs at least one." jsonschema:"maxItems=200"`
	AccessTTLSeconds int                  `json:"access_ttl_seconds,omitzero" doc:"Maximum lifetime of tokens for the API. Seconds, 60 to 86400. Defaults to 0, which applies only the lifetime of the app." jsonschema:"minimum=0,maximum=86400,example=900"`
	SigningAlg       signingkey.Algorithm `json:"signing_alg,omitzero" doc:"Algorithm that tokens for the API must be signed with. No tokens are issued while the instance signs with another algorithm. Omit to accept any algorithm."`
	SkipConsent      bool                 `json:"skip_consent,omitzero" doc:"Whether apps can act for people at the API without asking for consent. Only superadmins can enable it."`
	Scope            string               `json:"scope,omitzero" doc:"Owner of the API. Defaults to the active workspace. Only superadmins can register an API of the instance." jsonschema:"enum=instance,enum=workspace"`
}

const resourceCreateDescription = "The API belongs to the active workspace. If one of the apps of the workspace was the first to request the audience, this confirms the " +
	"claim. Superadmins can also register APIs of the instance.\n\n" +
	"An audience that another workspace holds only by first use can be taken over by superadmins, and by the workspace whose verified domain it " +
	"is under. Existing tokens for it are revoked."

func (s *Service) resourceCreate() command.Definition {
	return command.Define(command.Spec[ResourceCreateParams, Result]{
		Name:        "OAUTH.RESOURCE_CREATE",
		Summary:     "Register an API as an audience, with its scopes.",
		Description: resourceCreateDescription,
		Access:      access.Holding(write),
		Effect:      command.Writes,
		Emits:       []event.Kind{resource.KindCreated},
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
