package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

var errSamePassword = fault.Unfit("/new_password", "must differ from the current one")

// ChangePasswordParams are the parameters of USER.CHANGE_PASSWORD.
type ChangePasswordParams struct {
	CurrentPassword secret.String `json:"current_password" doc:"The password until now." jsonschema:"minLength=1,maxLength=256"`
	NewPassword     secret.String `json:"new_password" doc:"8 to 256 characters, none of the common ones, not the address or name itself; the policies of all your workspaces hold." jsonschema:"minLength=8,maxLength=256"`
	KeepSessions    bool          `json:"keep_sessions,omitzero" doc:"Leave your other sessions alive."`
	EndKeys         bool          `json:"end_keys,omitzero" doc:"End your API keys too."`
}

// ChangePasswordResult is the result of USER.CHANGE_PASSWORD.
type ChangePasswordResult struct {
	Changed         bool `json:"changed" doc:"Always true."`
	SessionsRevoked int  `json:"sessions_revoked" doc:"How many of your other sessions ended."`
	KeysRevoked     int  `json:"keys_revoked" doc:"How many of your API keys ended: with end_keys all that were active."`
}

func (s *Service) changePassword() command.Definition {
	return command.Define(command.Spec[ChangePasswordParams, ChangePasswordResult]{
		Name:    "USER.CHANGE_PASSWORD",
		Summary: "Change your password and end your other sessions, and your API keys if you wish. Wrong passwords count for the session, which waits after too many; a lock of the account does not hold it up.",
		Access:  access.User().InPerson().Recent().Unfinished(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{credential.KindChanged, session.KindRevoked, apikey.KindRevoked, session.KindGuessed},
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
			var result ChangePasswordResult
			err = s.Login.Proved(ctx, call.Caller, p.CurrentPassword, rules.Lockout, func(tx login.Repos, c *credential.Credential) error {
				c.Change(hash, s.Clock.Now())
				if err := tx.Credentials.Save(ctx, c); err != nil {
					return err
				}
				result, err = s.replaced(ctx, within(tx), call.Caller, p)
				return err
			})
			return result, err
		},
	})
}

// replaced ends what the password before let in, as far as the caller wishes.
func (s *Service) replaced(ctx context.Context, tx Repos, caller access.Caller, p ChangePasswordParams) (ChangePasswordResult, error) {
	now := s.Clock.Now()
	result := ChangePasswordResult{Changed: true}
	u, err := tx.Users.ByID(ctx, caller.User)
	if err != nil {
		return result, err
	}
	u.Fulfil(user.ChangePassword, now)
	if p.KeepSessions {
		if err := tx.Users.Save(ctx, u); err != nil {
			return result, err
		}
		err = account.DropLogins(ctx, tx.Challenges, u.ID())
	} else {
		result.SessionsRevoked, err = s.end(ctx, tx, u, account.Ending{Except: caller.Session, Reason: session.ByPasswordChange})
	}
	if err != nil || !p.EndKeys {
		return result, err
	}
	result.KeysRevoked, err = account.EndKeys(ctx, tx.APIKeys, u.ID(), apikey.ByPasswordChange, now)
	return result, err
}
