package rolegrant

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Affiliation returns what the app of a grant is told about the person's place in a
// workspace, as far as scopes tell it.
//
// # Decision: roles and groups are those of the workspace that owns the app
//
// Context: everybody can make a workspace, and in it roles and groups of any name. An app
// compares names: whoever is in "admins" may do everything.
//
// Choice: the app is told what its owner decided about its members, whatever workspace
// they act in; others have no roles and groups. Apps that nobody vouches for belong to no
// workspace in particular: their names begin with the slug of the workspace that the
// person acts in. Apps registered with any_workspace are told which workspace that is.
// Somebody whose session does not meet the sign-in rules of the workspace, or whose call
// comes from an address that it denies, counts as no member.
//
// What would change our mind: apps that belong to several workspaces.
func (b *Books) Affiliation(ctx context.Context, behind *outbound.GrantIdentity, scopes []string, enter Enter, now time.Time) (oauth.Affiliation, error) {
	of := behind.App
	owned, err := admitted(ctx, behind, enter)
	found := oauth.Affiliation{Owned: owned}
	switch {
	case err != nil:
		return found, err
	case !oauth.ReadClaims(behind.Grant.Claims).TellPlace(scopes):
		return found, nil
	case of.AnyWorkspace:
		found.Org = behind.Grant.OrgID
		return b.place(ctx, found, behind.Held, behind.Member, now)
	case of.Origin.Vouched():
		return b.place(ctx, found, behind.OwnerHeld, owned, now)
	}
	found, err = b.place(ctx, found, behind.Held, behind.Member, now)
	return found.Within(behind.Slug), err
}

// Enter fails with iprule.ErrDeniedThere if a workspace denies the address of a call.
type Enter func(ctx context.Context, org workspace.ID) error

// admitted reports whether the app of a grant sees the person as a member of the workspace that owns
// it.
func admitted(ctx context.Context, behind *outbound.GrantIdentity, enter Enter) (bool, error) {
	if !behind.OwnerMember || !behind.MeetsOwner() {
		return false, nil
	}
	err := enter(ctx, behind.App.OrgID)
	if errors.Is(err, iprule.ErrDeniedThere) {
		return false, nil
	}
	return err == nil, err
}

// place adds the roles and groups of a member.
func (b *Books) place(ctx context.Context, to oauth.Affiliation, held role.MemberGrants, member bool, now time.Time) (oauth.Affiliation, error) {
	if !member {
		return to, nil
	}
	standing, err := b.Standing(ctx, held, now)
	to.Roles, to.Groups = append([]string{}, standing.Roles...), standing.GroupNames()
	return to, err
}

// ActiveAffiliation returns the place of a person who asks for themself, in the workspace
// that they act in.
func ActiveAffiliation(org workspace.ID, standing role.EffectiveRoles) oauth.Affiliation {
	return oauth.Affiliation{Org: org, Roles: standing.Roles, Groups: standing.GroupNames(), Owned: true}
}
