package passkey

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Newcomer is a person without an account.
type Newcomer struct {
	Email       email.Address
	DisplayName user.DisplayName
	// Invitation is the token of the invitation that they accept, if any.
	Invitation secret.String
}

// BeginSignup begins the sign-up of an account that has a passkey and no password. It fails
// like invitations.Service.Register, and does not reveal whether the address is taken.
func (s *Service) BeginSignup(ctx context.Context, n Newcomer) (Ceremony, error) {
	address, err := s.Inviting.Register(ctx, s.Instance.State(), n.Email, n.Invitation)
	if err != nil {
		return Ceremony{}, err
	}
	name := n.DisplayName
	who := newcomer{ID: user.NewID(s.IDs), Email: address, DisplayName: name, Invitation: invitations.Digest(n.Invitation)}
	ceremony, err := s.Ceremonies.Create(signin.PasskeyCreation{
		Owner: who.ID, Name: address.String(), DisplayName: string(name), Verified: true,
	})
	if err != nil {
		return Ceremony{}, err
	}
	return s.open(ctx, s.Openings, newCeremony{kind: challenge.PasskeySignup, ceremony: ceremony, content: ceremonyState{Newcomer: who}})
}

// SignupResult is an account that was created with its passkey and logged in.
type SignupResult struct {
	User      user.Snapshot
	Workspace workspace.Snapshot
	Outcome   login.Outcome
}

// SignUp creates the account and its passkey, and logs it in. It fails with
// passkey.ErrMalformed, ErrUnverified, ErrNotAlone or ErrTaken, with challenge.ErrGone, with
// user.ErrEmailTaken, and like account.MayRegister. An invitation that its sender may no
// longer offer is revoked and refused with invitation.ErrWithdrawn.
func (s *Service) SignUp(ctx context.Context, call command.Call, id string, credential []byte) (SignupResult, error) {
	given, err := s.created(credential)
	if err != nil {
		return SignupResult{}, err
	}
	var made account.NewAccount
	var opened login.Opened
	var invited string
	err = s.spent(ctx, func(tx Repos) error {
		found, content, err := s.take(ctx, tx, challenge.PasskeySignup, given.Challenge())
		switch {
		case err != nil:
			return err
		case found.Digest != id:
			return challenge.ErrGone
		}
		invited = content.Newcomer.Invitation
		record, err := s.admissible(ctx, tx, given, content)
		if err != nil {
			return err
		}
		if made, err = s.join(ctx, tx, content.Newcomer); err != nil {
			return err
		}
		opened, err = s.enterNew(ctx, tx, call, made, passkey.Registration{
			ID: passkey.NewID(s.IDs), UserID: made.User.ID(), CredentialID: given.CredentialID(),
			Name: named("", call), Record: record,
		})
		return err
	})
	if err != nil {
		return SignupResult{}, s.Inviting.RevokeWithdrawn(ctx, invited, err)
	}
	outcome, err := s.Login.Answer(ctx, opened)
	return SignupResult{User: opened.User, Workspace: made.Workspace.Snapshot(), Outcome: outcome}, err
}

// admissible checks a sign-up before anything of it is stored.
func (s *Service) admissible(ctx context.Context, tx Repos, given signin.CreatedPasskey, content ceremonyState) (passkey.Record, error) {
	if err := s.mayRegister(ctx, tx, content.Newcomer); err != nil {
		return passkey.Record{}, err
	}
	record, err := given.Verify(content.State, content.Newcomer.ID)
	if err != nil {
		return passkey.Record{}, err
	}
	if !record.SignsIn() {
		return passkey.Record{}, passkey.ErrNotAlone
	}
	_, err = tx.Passkeys.ByCredential(ctx, given.CredentialID())
	switch {
	case err == nil:
		return passkey.Record{}, passkey.ErrTaken
	case errors.Is(err, passkey.ErrNotFound):
		return record, nil
	}
	return passkey.Record{}, err
}

// mayRegister checks again whether the account may be created, and locks the invitation
// against concurrent use.
func (s *Service) mayRegister(ctx context.Context, tx Repos, who newcomer) error {
	state := s.Instance.State()
	if who.Invitation == "" {
		return account.MayRegister(state, who.Email)
	}
	if _, err := tx.Inviting.Hold(ctx, who.Invitation, s.Clock.Now()); err != nil {
		return err
	}
	return state.Policies.Signup.Admit(who.Email)
}

// join creates the account. It fails with user.ErrEmailTaken before anything is stored.
func (s *Service) join(ctx context.Context, tx Repos, who newcomer) (account.NewAccount, error) {
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	invited := who.Invitation != ""
	made, err := account.Create(ctx, people, s.IDs, account.Draft{
		ID: who.ID, Email: who.Email, Verified: invited, DisplayName: string(who.DisplayName),
	}, s.Clock.Now())
	if err != nil || !invited {
		return made, err
	}
	guest := invitations.Guest{Invitation: who.Invitation, Person: made.User, Proof: user.Bound}
	joined, err := tx.Inviting.Accept(ctx, guest, s.Clock.Now())
	if err != nil {
		// It was locked, so its sender has just lost the role: nothing may be stored.
		if fault.From(err).Code != fault.Internal {
			err = aggregate.ErrConflict
		}
		return account.NewAccount{}, err
	}
	made.Invited = joined.Workspace.ID
	return made, nil
}

// enterNew stores the passkey of a new account and logs it in.
func (s *Service) enterNew(ctx context.Context, tx Repos, call command.Call, made account.NewAccount, r passkey.Registration) (login.Opened, error) {
	held := passkey.Register(r, s.Clock.Now())
	err := tx.Passkeys.Save(ctx, held)
	if errors.Is(err, passkey.ErrTaken) {
		// Somebody was faster, after the account was stored: roll it back.
		return login.Opened{}, aggregate.ErrConflict
	}
	if err != nil {
		return login.Opened{}, err
	}
	if !made.User.Snapshot().EmailVerified {
		if err := account.QueueVerification(ctx, tx.Mails, made.User.ID(), made.User.Snapshot().Email); err != nil {
			return login.Opened{}, err
		}
	}
	return s.Login.Enter(ctx, tx.Repos, login.Proof{
		Wanted: login.Wanted{Call: call, Policies: s.Instance.State().Policies, Org: made.Workspace.ID()},
		UserID: made.User.ID(), AMR: held.AMR(true), Whole: true, Factor: mfa.Passkey, New: true, Invited: made.Invited,
	})
}
