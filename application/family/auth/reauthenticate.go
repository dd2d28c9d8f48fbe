package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
)

// ReauthenticateParams are the parameters of AUTH.REAUTHENTICATE.
type ReauthenticateParams struct {
	Password secret.String `json:"password,omitzero" doc:"Password of the account. Omit to reauthenticate with a passkey. If the account has no password, any second factor works, or else an emailed code." jsonschema:"minLength=1,maxLength=256"`
}

func (s *Service) reauthenticate() command.Definition {
	return command.Define(command.Spec[ReauthenticateParams, login.Outcome]{
		Name:    "AUTH.REAUTHENTICATE",
		Summary: "Prove your identity again in the current session.",
		Description: "Use it before a command that requires a recent sign-in. Returns a new token pair for the same session with a fresh `auth_time`. " +
			"If the account has a second factor, including a passkey, it returns a challenge first. The previous refresh token ends.\n\n" +
			"Wrong passwords are counted per session. After too many, the session has to wait. A locked account can still reauthenticate.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Guarded: true,
		Emits:   []event.Kind{session.KindReauthenticated, mfa.KindChallenged, session.KindGuessed},
		Handle: func(ctx context.Context, call command.Call, p ReauthenticateParams) (login.Outcome, error) {
			var opened login.Opened
			var err error
			if p.Password.Empty() {
				opened, err = s.presentOtherwise(ctx, call)
			} else {
				opened, err = s.presentByPassword(ctx, call, p.Password)
			}
			if err != nil {
				return login.Outcome{}, err
			}
			return s.Login.Answer(ctx, opened)
		},
	})
}

// presentByPassword fails with login.ErrWrongPassword. The credential is stored even
// where nothing of it changes, so that a change of the password meets its version.
func (s *Service) presentByPassword(ctx context.Context, call command.Call, password secret.String) (opened login.Opened, err error) {
	policies, err := s.Login.Policies.OfUser(ctx, call.Caller.User)
	if err != nil {
		return login.Opened{}, err
	}
	err = s.Login.Proved(ctx, call.Caller, password, policies.Lockout,
		func(tx login.Repos, held *credential.Credential) error {
			held.Succeed()
			if err := tx.Credentials.Save(ctx, held); err != nil {
				return err
			}
			opened, err = s.Login.Reauthenticate(ctx, tx, call, []string{login.ByPassword})
			return err
		})
	return opened, err
}

// presentOtherwise fails with login.ErrPasswordNeeded.
func (s *Service) presentOtherwise(ctx context.Context, call command.Call) (opened login.Opened, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		opened, err = s.Login.ReauthenticateOtherwise(ctx, tx.Repos, call)
		return err
	})
	return opened, err
}
