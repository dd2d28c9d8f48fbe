package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

var errExternalID = fault.New(fault.Denied, "changing external_id requires the permission "+manage)

// UpdateParams are the parameters of USER.UPDATE.
type UpdateParams struct {
	UserID      user.ID           `json:"user_id,omitzero" doc:"ID of the account. Defaults to your own account. Other accounts require users:manage."`
	DisplayName *user.DisplayName `json:"display_name,omitzero" doc:"Display name."`
	Avatar      *user.Avatar      `json:"avatar,omitzero" doc:"http or https URL of a picture. Pass an empty string to remove it."`
	Locale      *user.Locale      `json:"locale,omitzero" doc:"BCP 47 language tag. Pass an empty string to remove it."`
	Timezone    *user.Timezone    `json:"timezone,omitzero" doc:"IANA time zone. Pass an empty string to remove it."`
	ExternalID  *user.ExternalID  `json:"external_id,omitzero" doc:"ID of the account in another system. Unique in the instance. Pass an empty string to remove it. Requires users:manage."`
}

// UserResult is an account after a change.
type UserResult struct {
	User view.User `json:"user" doc:"The account."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, UserResult]{
		Name:        "USER.UPDATE",
		Summary:     "Update a profile.",
		Description: "Omitted fields keep their values.",
		Access:      access.Anybody().Scoped(manage),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (UserResult, error) {
			target, err := p.target(call.Caller)
			if err != nil {
				return UserResult{}, err
			}
			return s.changed(ctx, call.Caller, target, func(_ Repos, u *user.User) error {
				u.Update(p.profile(), s.Clock.Now())
				return nil
			})
		},
	})
}

// target returns whose profile is meant. It fails with user.ErrNotFound when that is
// not the caller's to change.
func (p UpdateParams) target(caller access.Caller) (user.ID, error) {
	own := p.UserID == "" || p.UserID == caller.User
	switch {
	case own && caller.Kind == access.App:
		return "", access.ErrNotForApps
	case caller.May(manage) && !own:
		return p.UserID, nil
	case !own:
		return "", user.ErrNotFound
	case p.ExternalID != nil && !caller.May(manage):
		return "", errExternalID
	default:
		return caller.User, nil
	}
}

func (p UpdateParams) profile() user.Profile {
	return user.Profile{
		DisplayName: (*string)(p.DisplayName), Avatar: (*string)(p.Avatar), Locale: (*string)(p.Locale),
		Timezone: (*string)(p.Timezone), ExternalID: (*string)(p.ExternalID),
	}
}

// changed applies a change to an account, stores it unless it changed nothing,
// and shows it.
func (s *Service) changed(ctx context.Context, caller access.Caller, id user.ID, change func(Repos, *user.User) error) (UserResult, error) {
	var after user.Snapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		u, err := account.Managed(ctx, tx.Users, caller, id)
		if err != nil {
			return err
		}
		if err := change(tx, u); err != nil {
			return err
		}
		after = u.Snapshot()
		return saveChanged(ctx, tx, u)
	})
	if err != nil {
		return UserResult{}, err
	}
	return UserResult{User: view.OfUser(after, s.Clock.Now())}, nil
}
