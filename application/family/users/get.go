package users

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

var errOneKey = fault.Invalid("", "provide exactly one of user_id, email and external_id")

// GetParams are the parameters of USER.GET.
type GetParams struct {
	UserID     user.ID         `json:"user_id,omitzero" doc:"ID of the account. Provide exactly one of user_id, email and external_id."`
	Email      email.Address   `json:"email,omitzero" doc:"Email address of the account." example:"-"`
	ExternalID user.ExternalID `json:"external_id,omitzero" doc:"ID of the account in the system it was imported from." example:"-"`
}

// GetResult is the result of USER.GET.
type GetResult struct {
	User        view.User     `json:"user" doc:"The account."`
	Roles       []string      `json:"roles" doc:"Names of the account's roles in your active workspace, including roles from its groups."`
	Groups      []Group       `json:"groups" doc:"The account's groups in your active workspace, newest first."`
	Factors     []view.Factor `json:"factors" doc:"The account's second factors, excluding passkeys."`
	LastLoginAt *time.Time    `json:"last_login_at" doc:"Last sign-in of the account. Null if it never signed in."`
}

// Group is a group of the account in results.
type Group struct {
	ID   group.ID `json:"id" doc:"ID of the group."`
	Name string   `json:"name" doc:"Name of the group."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "USER.GET",
		Summary:     "Retrieve an account by ID, email address or external ID.",
		Description: "You can read your own account and members of your active workspace. With `users:manage`, you can read any account.",
		Access:      access.Holding("users:read"),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			by, err := p.key()
			if err != nil {
				return GetResult{}, err
			}
			found, err := s.Directory.Find(ctx, by)
			if err != nil {
				return GetResult{}, err
			}
			is, err := s.belonging(ctx, call.Caller.Org, found.ID)
			if err != nil {
				return GetResult{}, err
			}
			if !is.member && found.ID != call.Caller.User && !call.Caller.May("users:manage") {
				return GetResult{}, user.ErrNotFound
			}
			held, err := s.Factors.Of(ctx, found.ID)
			return GetResult{
				User: view.OfUser(found, s.Clock.Now()), Roles: is.roles, Groups: is.groups, Factors: view.OfFactors(held),
				LastLoginAt: view.Time(found.LastLoginAt),
			}, err
		},
	})
}

func (p GetParams) key() (people.UserKey, error) {
	given := 0
	for _, present := range []bool{p.UserID != "", !p.Email.IsZero(), p.ExternalID != ""} {
		if present {
			given++
		}
	}
	if given != 1 {
		return people.UserKey{}, errOneKey
	}
	return people.UserKey{ID: p.UserID, Email: p.Email, ExternalID: string(p.ExternalID)}, nil
}

// membership is the role of a person in a workspace.
type membership struct {
	roles  []string
	groups []Group
	member bool
}

// belonging reads what somebody is in a workspace.
func (s *Service) belonging(ctx context.Context, org workspace.ID, person user.ID) (membership, error) {
	held, err := s.Rights.Holding(ctx, org, person)
	if errors.Is(err, workspace.ErrNotMember) {
		return membership{roles: []string{}, groups: []Group{}}, nil
	}
	if err != nil {
		return membership{}, err
	}
	standing, err := s.Books.Standing(ctx, held.MemberGrants, s.Clock.Now())
	if err != nil {
		return membership{}, err
	}
	is := membership{roles: standing.Roles, groups: []Group{}, member: true}
	if len(held.Groups) == 0 {
		return is, nil
	}
	in, err := s.Groups.List(ctx, workspaces.GroupQuery{Org: org, User: person})
	for _, one := range in {
		is.groups = append(is.groups, Group{ID: one.ID, Name: string(one.Name)})
	}
	return is, err
}
