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

var errOneKey = fault.Invalid("", "give exactly one of user_id, email and external_id")

// GetParams are the parameters of USER.GET.
type GetParams struct {
	UserID     user.ID         `json:"user_id,omitzero" doc:"The account's identifier; give exactly one of the three."`
	Email      email.Address   `json:"email,omitzero" doc:"Its address." example:"-"`
	ExternalID user.ExternalID `json:"external_id,omitzero" doc:"Its identifier in the system it was imported from." example:"-"`
}

// GetResult is the result of USER.GET.
type GetResult struct {
	User        view.User     `json:"user" doc:"The account."`
	Roles       []string      `json:"roles" doc:"Its roles in your active workspace, those of its groups too."`
	Groups      []Group       `json:"groups" doc:"Its groups there, newest first."`
	Factors     []view.Factor `json:"factors" doc:"Its second factors, without passkeys."`
	LastLoginAt *time.Time    `json:"last_login_at" doc:"Its last login; null: never."`
}

// Group is a group of the account in results.
type Group struct {
	ID   group.ID `json:"id" doc:"Identifier."`
	Name string   `json:"name" doc:"Name."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "USER.GET",
		Summary: "One account by id, email address or external id: your own, a member of your active workspace, or with users:manage anybody.",
		Access:  access.Holding("users:read"),
		Effect:  command.Reads,
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

// belonging is what somebody is in a workspace.
type belonging struct {
	roles  []string
	groups []Group
	member bool
}

// belonging reads what somebody is in a workspace.
func (s *Service) belonging(ctx context.Context, org workspace.ID, person user.ID) (belonging, error) {
	held, err := s.Rights.Holding(ctx, org, person)
	if errors.Is(err, workspace.ErrNotMember) {
		return belonging{roles: []string{}, groups: []Group{}}, nil
	}
	if err != nil {
		return belonging{}, err
	}
	standing, err := s.Books.Standing(ctx, held.Holding, s.Clock.Now())
	if err != nil {
		return belonging{}, err
	}
	is := belonging{roles: standing.Roles, groups: []Group{}, member: true}
	if len(held.Groups) == 0 {
		return is, nil
	}
	in, err := s.Groups.List(ctx, workspaces.GroupQuery{Org: org, User: person})
	for _, one := range in {
		is.groups = append(is.groups, Group{ID: one.ID, Name: string(one.Name)})
	}
	return is, err
}
