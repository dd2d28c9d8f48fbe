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

var errMove = fault.New(fault.Denied, "only superadmins can move an API to another workspace: omit new_org_id")

// ResourceUpdateParams are the parameters of OAUTH.RESOURCE_UPDATE.
type ResourceUpdateParams struct {
	ResourceID       resource.ID           `json:"resource_id" doc:"ID of the API."`
	Name             *app.Name             `json:"name,omitzero" doc:"Display name."`
	Scopes           []resource.Scope      `json:"scopes,omitzero" doc:"Scopes of the API, replacing all existing ones. If empty, apps can request any scope." jsonschema:"maxItems=200"`
	AccessTTLSeconds *int                  `json:"access_ttl_seconds,omitzero" doc:"Maximum lifetime of tokens for the API. Seconds, 60 to 86400. Use 0 to apply only the lifetime of the app. Existing tokens keep their lifetime." jsonschema:"minimum=0,maximum=86400,example=900"`
	SigningAlg       *signingkey.Algorithm `json:"signing_alg,omitzero" doc:"Algorithm that tokens for the API must be signed with. See OAUTH.RESOURCE_CREATE."`
	SkipConsent      *bool                 `json:"skip_consent,omitzero" doc:"Whether apps can act for people at the API without asking for consent. Only superadmins can enable it."`
	NewOrgID         *workspace.ID         `json:"new_org_id,omitzero" doc:"ID of the workspace to move the API to. Only superadmins can move an API. Tokens issued for it under another workspace are revoked immediately. With the ID of the current workspace, the superadmin vouches for its claim."`
}

func (s *Service) resourceUpdate() command.Definition {
	return command.Define(command.Spec[ResourceUpdateParams, Result]{
		Name:    "OAUTH.RESOURCE_UPDATE",
		Summary: "Update an API.",
		Description: "Omitted fields keep their values. Updating an API that an app claimed by first use confirms the claim. Superadmins can move an API to " +
			"another workspace, which revokes the tokens for it.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{resource.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p ResourceUpdateParams) (Result, error) {
			if err := p.allowed(call.Caller); err != nil {
				return Result{}, err
			}
			var after resource.Snapshot
			err := s.Unit.Do(ctx, func(tx Repos) error {
				target, err := visible(ctx, tx, call.Caller, p.ResourceID)
				if err == nil {
					err = s.update(ctx, tx, target, p)
				}
				if err == nil {
					after = target.Snapshot()
				}
				return err
			})
			if err != nil {
				return Result{}, err
			}
			return Result{Resource: show(after)}, nil
		},
	})
}

// update changes an API and stores it, unless that changed nothing.
func (s *Service) update(ctx context.Context, tx Repos, target *resource.Resource, p ResourceUpdateParams) error {
	if err := target.Update(p.change(), s.Clock.Now()); err != nil || !target.Changed() {
		return err
	}
	if err := assign(ctx, tx, target.Snapshot(), p.NewOrgID); err != nil {
		return err
	}
	return tx.Resources.Save(ctx, target)
}

// allowed fails if a change is reserved to superadmins and the caller is not one.
func (p ResourceUpdateParams) allowed(caller access.Caller) error {
	switch {
	case caller.Superadmin:
		return nil
	case p.NewOrgID != nil && !caller.Sees(*p.NewOrgID):
		return workspace.ErrNotFound
	case p.NewOrgID != nil:
		return errMove
	case p.SkipConsent != nil && *p.SkipConsent:
		return resource.ErrSkipConsent
	}
	return nil
}

// assign moves the audience of an API to a workspace, nil for none. It fails with
// workspace.ErrNotFound.
func assign(ctx context.Context, tx Repos, of resource.Snapshot, to *workspace.ID) error {
	if to == nil {
		return nil
	}
	if _, err := tx.Workspaces.ByID(ctx, *to); err != nil {
		return err
	}
	return tx.Resources.Assign(ctx, of.Identifier, *to)
}

func (p ResourceUpdateParams) change() resource.Change {
	c := resource.Change{
		Name: (*string)(p.Name), Scopes: p.Scopes, SigningAlg: p.SigningAlg, SkipConsent: p.SkipConsent, Org: p.NewOrgID,
	}
	if p.AccessTTLSeconds != nil {
		life := time.Duration(*p.AccessTTLSeconds) * time.Second
		c.AccessTTL = &life
	}
	return c
}
