package users

import (
	"context"
	"strings"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

var (
	errSameEmail     = fault.Unfit("/new_email", "is already your address")
	errDomain        = fault.Unfit("/new_email", "has a domain that the sign-up policy does not allow")
	errPasswordFirst = fault.Unfit("/password", "is required because your account has a password")
)

// ChangeEmailParams are the parameters of USER.CHANGE_EMAIL.
type ChangeEmailParams struct {
	NewEmail email.Address `json:"new_email" doc:"New email address. Nothing changes until the emailed link is used, within one day."`
	Password secret.String `json:"password,omitzero" doc:"Your password. Required if your account has one." jsonschema:"minLength=1,maxLength=256"`
}

// ChangeEmailResult is the result of USER.CHANGE_EMAIL.
type ChangeEmailResult struct {
	PendingEmail string `json:"pending_email" doc:"Email address awaiting confirmation." jsonschema:"format=email"`
	Sent         bool   `json:"sent" doc:"Always true, even if the address belongs to another account."`
}

const changeEmailDescription = "The new address receives a link to confirm the change with `AUTH.VERIFY_EMAIL`. The current address is notified.\n\n" +
	"The domain rules of the signup policy apply to the new address.\n\n" +
	"Wrong passwords count against your session. After too many, the session cannot confirm a password for a while."

func (s *Service) changeEmail() command.Definition {
	return command.Define(command.Spec[ChangeEmailParams, ChangeEmailResult]{
		Name:        "USER.CHANGE_EMAIL",
		Summary:     "Request a change of your email address.",
		Description: changeEmailDescription,
		Access:      access.User().InPerson().Recent(),
		Effect:      command.Outside,
		Limits:      []limit.Spec{limit.PerHour(limit.User, 5)},
		Guarded:     true,
		Emits:       []event.Kind{user.KindEmailChangeRequested, session.KindGuessed},
		Handle: func(ctx context.Context, call command.Call, p ChangeEmailParams) (ChangeEmailResult, error) {
			result := ChangeEmailResult{PendingEmail: p.NewEmail.String(), Sent: true}
			if err := s.eligible(call.Caller, p.NewEmail); err != nil {
				return ChangeEmailResult{}, err
			}
			if p.Password.Empty() {
				return result, s.Login.Unit.Do(ctx, func(tx login.Repos) error {
					return s.requestUnproved(ctx, tx, call.Caller, p.NewEmail)
				})
			}
			rules, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return ChangeEmailResult{}, err
			}
			return result, s.Login.Proved(ctx, call.Caller, p.Password, rules.Lockout, func(tx login.Repos, _ *credential.Credential) error {
				return s.requestChange(ctx, tx, call.Caller, p.NewEmail)
			})
		},
	})
}

// eligible fails with errSameEmail, or with errDomain: no address that may not register.
func (s *Service) eligible(caller access.Caller, to email.Address) error {
	if to == caller.Profile.Email {
		return errSameEmail
	}
	if s.Login.Instance.State().Policies.Signup.Admit(to) != nil {
		return errDomain
	}
	return nil
}

// requestUnproved asks for a change when the caller's account has no password.
func (s *Service) requestUnproved(ctx context.Context, tx login.Repos, caller access.Caller, to email.Address) error {
	held, err := tx.Credentials.ByUser(ctx, caller.User)
	switch {
	case err != nil:
		return err
	case held.Hash() != "":
		return errPasswordFirst
	}
	return s.requestChange(ctx, tx, caller, to)
}

// requestChange asks for a change of address in place of any before. It does the
// same for an address that somebody has.
func (s *Service) requestChange(ctx context.Context, tx login.Repos, caller access.Caller, to email.Address) error {
	u, err := tx.Users.ByID(ctx, caller.User)
	if err != nil {
		return err
	}
	until := u.Snapshot().Email
	u.RequestEmailChange()
	if err := tx.Users.Save(ctx, u); err != nil {
		return err
	}
	if _, err := tx.Challenges.Drop(ctx, signin.ChallengeQuery{About: u.ID(), Kinds: []challenge.Kind{challenge.EmailChange}}); err != nil {
		return err
	}
	letter, err := account.LinkTo(challenge.EmailChange, account.Mailbox{Email: to, Was: until, Asked: s.Clock.Now()})
	if err != nil {
		return err
	}
	letter.UserID = u.ID()
	if err := tx.Mails.Queue(ctx, letter); err != nil {
		return err
	}
	return tx.Mails.Queue(ctx, mail.Request{
		Template: mail.ChangeRequested, UserID: u.ID(), To: until,
		Facts: account.Asked(ctx, s.Clock.Now(), map[string]string{"new_email": displayed(to)}),
	})
}

// displayed returns an address as a mail names it. Whoever opens an account chooses who gets the
// mail, and what address is in it: one that programs would make a link of is hinted at.
func displayed(address email.Address) string {
	if strings.ContainsAny(address.String(), "/?=&#%") {
		return address.Hint()
	}
	return address.String()
}
