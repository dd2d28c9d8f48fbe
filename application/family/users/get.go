package users

import (
	"context"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
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
	Roles       []string      `json:"roles" doc:"Its roles in your active workspace."`
	Factors     []view.Factor `json:"factors" doc:"Its second factors, without passkeys."`
	LastLoginAt *time.Time    `json:"last_login_at" doc:"Its last login; null: never."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "USER.GET",
		Summary: "One account by id, e-mail address or external id: your own, a member of your active workspace, or with users:manage anybody.",
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
			roles, member, err := s.rolesIn(ctx, call.Caller.Org, found.ID)
			if err != nil {
				return GetResult{}, err
			}
			if !member && found.ID != call.Caller.User && !call.Caller.May("users:manage") {
				return GetResult{}, user.ErrNotFound
			}
			held, err := s.Factors.Of(ctx, found.ID)
			return GetResult{
				User: view.OfUser(found, s.Clock.Now()), Roles: roles, Factors: view.OfFactors(held),
				LastLoginAt: view.Time(found.LastLoginAt),
			}, err
		},
	})
}

func (p GetParams) key() (outbound.UserKey, error) {
	given := 0
	for _, present := range []bool{p.UserID != "", !p.Email.IsZero(), p.ExternalID != ""} {
		if present {
			given++
		}
	}
	if given != 1 {
		return outbound.UserKey{}, errOneKey
	}
	return outbound.UserKey{ID: p.UserID, Email: p.Email, ExternalID: string(p.ExternalID)}, nil
}

// rolesIn gives somebody's roles in a workspace, and whether they belong to it.
func (s *Service) rolesIn(ctx context.Context, org workspace.ID, person user.ID) ([]string, bool, error) {
	memberships, err := s.Accounts.Memberships(ctx, person)
	if err != nil {
		return nil, false, err
	}
	for _, m := range memberships {
		if m.Org.ID == org {
			return workspace.LiveRoles(m.Grants, s.Clock.Now()), true, nil
		}
	}
	return []string{}, false, nil
}
