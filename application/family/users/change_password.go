package users

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
)

var errSamePassword = fault.Invalid("/new_password", "must differ from the current one")

// ChangePasswordParams are the parameters of USER.CHANGE_PASSWORD.
type ChangePasswordParams struct {
	CurrentPassword secret.String `json:"current_password" doc:"The password until now." jsonschema:"minLength=1,maxLength=256"`
	NewPassword     secret.String `json:"new_password" doc:"8 to 256 characters, none of the common ones, not the address or name itself; the policies of all your workspaces hold." jsonschema:"minLength=8,maxLength=256"`
	KeepSessions    bool          `json:"keep_sessions,omitzero" doc:"Leave your other sessions alive."`
}

// ChangePasswordResult is the result of USER.CHANGE_PASSWORD.
type ChangePasswordResult struct {
	Changed         bool `json:"changed" doc:"Always true."`
	SessionsRevoked int  `json:"sessions_revoked" doc:"How many of your other sessions ended."`
}

func (s *Service) changePassword() command.Definition {
	return command.Define(command.Spec[ChangePasswordParams, ChangePasswordResult]{
		Name:    "USER.CHANGE_PASSWORD",
		Summary: "Change your password and end your other sessions; a wrong current password counts like a failed login.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{credential.KindChanged, session.KindRevoked, credential.KindLocked},
		Handle: func(ctx context.Context, call command.Call, p ChangePasswordParams) (ChangePasswordResult, error) {
			rules, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return ChangePasswordResult{}, err
			}
			// What is wrong with the new one is said before the current one is
			// looked at, so that it tells nothing about that.
			if password.Normal(p.NewPassword) == password.Normal(p.CurrentPassword) {
				return ChangePasswordResult{}, errSamePassword
			}
			owner := password.Owner{Email: call.Caller.Profile.Email.String(), Name: call.Caller.Profile.DisplayName}
			hash, err := s.Passwords.Accept(ctx, "/new_password", p.NewPassword, owner, rules.Password)
			if err != nil {
				return ChangePasswordResult{}, err
			}
			revoked := 0
			given := proof{caller: call.Caller, plain: p.CurrentPassword, lockout: rules.Lockout}
			err = s.proved(ctx, given, func(tx Repos, c *credential.Credential) error {
				revoked = 0
				c.Change(hash, s.Clock.Now())
				if err := tx.Credentials.Save(ctx, c); err != nil || p.KeepSessions {
					return err
				}
				u, err := tx.Users.ByID(ctx, call.Caller.User)
				if err != nil {
					return err
				}
				revoked, err = s.end(ctx, tx, u, ending{except: call.Caller.Session, reason: session.ByPasswordChange})
				return err
			})
			return ChangePasswordResult{Changed: err == nil, SessionsRevoked: revoked}, err
		},
	})
}
