package auth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// SignupParams are the parameters of AUTH.SIGNUP.
type SignupParams struct {
	Email       email.Address    `json:"email" doc:"Email address of the new account."`
	Password    secret.String    `json:"password" doc:"Password of the new account. It must not be a common one, nor the email address or name itself." jsonschema:"minLength=8,maxLength=256"`
	DisplayName user.DisplayName `json:"display_name" doc:"Display name of the person."`
	Invitation  secret.String    `json:"invitation_token,omitzero" doc:"Token of an invitation that was emailed to the address. The account joins the workspace and its address becomes verified. Works even if public registration is disabled." jsonschema:"minLength=1,maxLength=512"`
}

// SignupResult is the result of AUTH.SIGNUP.
type SignupResult struct {
	User         view.User         `json:"user" doc:"The new account."`
	Organization view.Organization `json:"organization" doc:"Personal workspace of the new account."`
	login.Outcome
}

func (s *Service) signup() command.Definition {
	return command.Define(command.Spec[SignupParams, SignupResult]{
		Name:    "AUTH.SIGNUP",
		Summary: "Create an account and sign in.",
		Description: "Creates the account with a personal workspace and sends a verification email. " +
			"With an invitation, the account joins that workspace as well, and its address needs no verification.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Trigger: flow.Signup,
		Emits:   []event.Kind{user.KindCreated, workspace.KindCreated, session.KindCreated, invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p SignupParams) (SignupResult, error) {
			state := s.Instance.State()
			var err error
			if p.Email, err = s.Inviting.Register(ctx, state, p.Email, p.Invitation); err != nil {
				return SignupResult{}, err
			}
			owner := password.Owner{Email: p.Email.String(), Name: string(p.DisplayName)}
			hash, err := s.Passwords.Accept(ctx, "/password", p.Password, owner, state.Policies.Password)
			if err != nil {
				return SignupResult{}, err
			}
			var made account.NewAccount
			var opened login.Opened
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if made, err = s.found(ctx, tx, p, hash); err != nil {
					return err
				}
				opened, err = s.Login.Enter(ctx, tx.Repos, login.Proof{
					Wanted: login.Wanted{Call: call, Policies: state.Policies, Org: made.Workspace.ID()},
					UserID: made.User.ID(), AMR: []string{login.ByPassword}, New: true, Invited: made.Invited,
				})
				return err
			})
			if err != nil {
				return SignupResult{}, err
			}
			outcome, err := s.Login.Answer(ctx, opened)
			return SignupResult{
				User:         view.OfUser(opened.User, s.Clock.Now()),
				Organization: view.OfWorkspace(made.Workspace.Snapshot()),
				Outcome:      outcome,
			}, err
		},
	})
}

// found makes the account. An invitation proves its address; else that is asked for.
func (s *Service) found(ctx context.Context, tx Repos, p SignupParams, hash string) (account.NewAccount, error) {
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	invited := !p.Invitation.Empty()
	made, err := account.Create(ctx, people, s.IDs, account.Draft{Email: p.Email, Verified: invited, DisplayName: string(p.DisplayName), Hash: hash}, s.Clock.Now())
	switch {
	case err != nil:
		return account.NewAccount{}, err
	case invited:
		var joined invitations.Acceptance
		joined, err = tx.Inviting.Accept(ctx, invitations.Guest{Invitation: invitations.Digest(p.Invitation), Person: made.User, Proof: user.Bound}, s.Clock.Now())
		made.Invited = joined.Workspace.ID
	default:
		err = account.QueueVerification(ctx, tx.Mails, made.User.ID(), p.Email)
	}
	return made, err
}
