package teams

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// UpdateParams are the parameters of TEAM.UPDATE.
type UpdateParams struct {
	Name           *workspace.Name     `json:"name,omitzero" doc:"Display name."`
	Slug           *workspace.Slug     `json:"slug,omitzero" doc:"Short name for use in links. The previous one stays reserved for 30 days."`
	LogoURL        *workspace.LogoURL  `json:"logo_url,omitzero" doc:"https URL of a picture. Pass an empty string to remove it."`
	DefaultRole    string              `json:"default_role,omitzero" doc:"Role of people who join without another role. It must not grant more than you hold. See ROLE.LIST." jsonschema:"minLength=1,maxLength=64,example=member"`
	AllowedMethods *[]workspace.Method `json:"allowed_methods,omitzero" doc:"Sign-in methods that a session must have started with to act in the workspace. An empty list allows all. It must include the method that you signed in with. Sessions active in the workspace can stay until their next refresh." jsonschema:"maxItems=5,uniqueItems=true"`
	Metadata       map[string]any      `json:"metadata_json,omitzero" doc:"Changes to the metadata, as a merge patch (RFC 7396): null removes a key, objects are merged, other values are replaced. The result is at most 16 KiB and 8 levels deep. Numbers beyond ±9007199254740991 are rejected because they would be rounded; send them as strings."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, OrganizationResult]{
		Name:        "TEAM.UPDATE",
		Summary:     "Update the active workspace.",
		Description: "Omitted fields keep their values.",
		Access:      access.Holding("teams:write").Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{workspace.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (OrganizationResult, error) {
			var updated *workspace.Workspace
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := p.leavesIn(call.Caller); err != nil {
					return err
				}
				change, err := p.change(ctx, tx, call.Caller)
				if err != nil {
					return err
				}
				if updated, err = tx.Workspaces.ByID(ctx, call.Caller.Org); err != nil {
					return err
				}
				if err := updated.Update(change); err != nil || !updated.Changed() {
					return err
				}
				return tx.Workspaces.Save(ctx, updated)
			})
			if err != nil {
				return OrganizationResult{}, err
			}
			return s.shown(ctx, updated)
		},
	})
}

// errUnconnected is returned for single sign-on as the only way in, without a connection for it.
var errUnconnected = fault.Unfit("/allowed_methods", "must contain a method other than sso, because the workspace has no SSO connection")

// leavesIn fails if nobody, or not even the caller, could sign in to the workspace by the allowed
// methods. Superadmins are let in by every method.
func (p UpdateParams) leavesIn(caller access.Caller) error {
	if p.AllowedMethods == nil || len(*p.AllowedMethods) == 0 {
		return nil
	}
	if !slices.ContainsFunc(*p.AllowedMethods, func(m workspace.Method) bool { return m != workspace.BySSO }) {
		return errUnconnected
	}
	by := workspace.MethodOf(caller.AMR)
	if caller.Kind != access.Person || caller.Superadmin || slices.Contains(*p.AllowedMethods, by) {
		return nil
	}
	return fault.Unfit("/allowed_methods", "must contain "+string(by)+": you signed in with it and would lock yourself out")
}

// change returns what a caller may change. It fails like rolegrant.Allow where the default
// role is not theirs to give.
func (p UpdateParams) change(ctx context.Context, tx Repos, caller access.Caller) (workspace.Change, error) {
	c := workspace.Change{
		Name: (*string)(p.Name), Slug: p.Slug, LogoURL: (*string)(p.LogoURL), AllowedMethods: p.AllowedMethods, Metadata: p.Metadata,
	}
	if p.DefaultRole == "" {
		return c, nil
	}
	given, err := rolegrant.Allow(ctx, tx.Books, caller, caller.Org, p.DefaultRole)
	key := given.Key()
	c.DefaultRole = &key
	return c, err
}
