package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

var errSamePassword = fault.Unfit("/new_password", "must differ from the current password")

// ChangePasswordParams are the parameters of USER.CHANGE_PASSWORD.
type ChangePasswordParams struct {
	CurrentPassword secret.String `json:"current_password" doc:"Current password." jsonschema:"minLength=1,maxLength=256"`
	NewPassword     secret.String `json:"new_password" doc:"New password, 8 to 256 characters. It must not be a common password, your email address or your name, and must meet the password policies of all your workspaces." jsonschema:"minLength=8,maxLength=256"`
	KeepSessions    bool          `json:"keep_sessions,omitzero" doc:"Whether to keep your other sessions."`
	EndKeys         bool          `json:"end_keys,omitzero" doc:"Whether to revoke your API keys as well."`
	EndGrants       *bool         `json:"end_grants,omitzero" doc:"Whether to revoke the access of all apps that you authorized: their OAuth grants, tokens, approved devices and your consents. Defaults to true."`
}

// kept returns what the caller wishes to keep.
func (p ChangePasswordParams) kept() []account.Part {
	var keep []account.Part
	if p.KeepSessions {
		keep = append(keep, account.Sessions)
	}
	if !p.EndKeys {
		keep = append(keep, account.Keys)
	}
	if p.EndGrants != nil && !*p.EndGrants {
		keep = append(keep, account.Apps)
	}
	return keep
}

// ChangePasswordResult is the result of USER.CHANGE_PASSWORD.
type ChangePasswordResult struct {
	Changed bool `json:"changed" doc:"Always true."`

	account.Ended
}

const changePasswordDescription = "By default, this ends your other sessions, revokes the access of apps that you authorized and keeps your API keys. Your " +
	"remembered devices are always forgotten.\n\n" +
	"Wrong passwords count against your session. After too many, the session cannot confirm a password for a while. A lock on " +
	"your account does not block this command."

func (s *Service) changePassword() command.Definition {
	return command.Define(command.Spec[ChangePasswordParams, ChangePasswordResult]{
		Name:        "USER.CHANGE_PASSWORD",
		Summary:     "Change your password.",
		Description: changePasswordDescription,
		Access:      access.User().InPerson().Recent().Unfinished(),
		Effect:      command.Writes,
		Guarded:     true,
		Emits:       append(account.EndedKinds(), credential.KindChanged, session.KindGuessed),
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
				result.Changed = true
				result.Ended, err = s.endReplaced(ctx, tx, call.Caller, p)
				return err
			})
			return result, err
		},
	})
}

// endReplaced ends what the previous password gave access to, as far as the caller wishes.
func (s *Service) endReplaced(ctx context.Context, tx login.Repos, caller access.Caller, p ChangePasswordParams) (account.Ended, error) {
	u, err := tx.Users.ByID(ctx, caller.User)
	if err != nil {
		return account.Ended{}, err
	}
	now := s.Clock.Now()
	u.Fulfill(user.ChangePassword, now)
	return tx.End(ctx, u, account.EndOptions{Except: caller.Session, Reason: session.ByPasswordChange, Keep: p.kept()}, now)
}
