package auth

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
)

var errPasswordNeeded = fault.Unfit("/password", "is required: the account has a password")

// ReauthenticateParams are the parameters of AUTH.REAUTHENTICATE.
type ReauthenticateParams struct {
	Password secret.String `json:"password,omitzero" doc:"The password of the account; absent where it has none: a second factor, a passkey or else a mailed code is asked for." jsonschema:"minLength=1,maxLength=256"`
}

func (s *Service) reauthenticate() command.Definition {
	return command.Define(command.Spec[ReauthenticateParams, login.Outcome]{
		Name: "AUTH.REAUTHENTICATE",
		Summary: "Prove again that it is you, before a command that asks for a recent login: a new token pair of the same session with fresh auth_time, or a challenge for the second factor. " +
			"The refresh token from before ends; a wrong password counts like a failed login.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{session.KindReauthenticated, mfa.KindChallenged, credential.KindLocked},
		Handle: func(ctx context.Context, call command.Call, p ReauthenticateParams) (login.Outcome, error) {
			policies, err := s.Login.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return login.Outcome{}, err
			}
			proof := login.Proof{UserID: call.Caller.User, Org: call.Caller.Org, Call: call, Policies: policies}
			var opened login.Opened
			if p.Password.Empty() {
				opened, err = s.presentOtherwise(ctx, proof)
			} else {
				opened, err = s.presentByPassword(ctx, proof, p.Password)
			}
			if err != nil {
				return login.Outcome{}, err
			}
			return s.Login.Answer(opened, "", nil)
		},
	})
}

// presentByPassword fails with login.ErrWrongPassword. The credential is stored even
// where nothing of it changes, so that a change of the password meets its version.
func (s *Service) presentByPassword(ctx context.Context, proof login.Proof, password secret.String) (opened login.Opened, err error) {
	proof.AMR = []string{login.ByPassword}
	err = s.Login.Proved(ctx, proof.Call.Caller, password, proof.Policies.Lockout,
		func(tx login.Repos, held *credential.Credential) error {
			held.Succeed()
			if err := tx.Credentials.Save(ctx, held); err != nil {
				return err
			}
			opened, err = s.Login.Reauthenticate(ctx, tx, proof, proof.Call.Caller.Session)
			return err
		})
	return opened, err
}

// presentOtherwise fails with errPasswordNeeded for an account that has one.
func (s *Service) presentOtherwise(ctx context.Context, proof login.Proof) (opened login.Opened, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Credentials.ByUser(ctx, proof.UserID)
		if err != nil {
			return err
		}
		if held.Hash() != "" {
			return errPasswordNeeded
		}
		opened, err = s.Login.ReauthenticateOtherwise(ctx, tx.Repos, proof, proof.Call.Caller.Session)
		return err
	})
	return opened, err
}
