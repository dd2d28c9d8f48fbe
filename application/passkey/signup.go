package passkey

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/login"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// BeginSignup begins an account that has a passkey and no password. It fails as
// account.MayRegister does, and tells nothing of whether the address is taken.
func (s *Service) BeginSignup(ctx context.Context, address email.Address, name user.DisplayName) (Begun, error) {
	if err := account.MayRegister(s.Instance.State(), address); err != nil {
		return Begun{}, err
	}
	who := newcomer{ID: user.NewID(s.IDs), Email: address, DisplayName: name}
	ceremony, err := s.Ceremonies.Create(outbound.PasskeyCreation{
		Owner: who.ID, Name: address.String(), DisplayName: string(name), Verified: true,
	})
	if err != nil {
		return Begun{}, err
	}
	return s.open(ctx, s.Openings, opening{kind: challenge.PasskeySignup, ceremony: ceremony, content: remembered{Newcomer: who}})
}

// Joined is an account that was made with its passkey, and logged in.
type Joined struct {
	User      user.Snapshot
	Workspace workspace.Snapshot
	Outcome   login.Outcome
}

// SignUp makes the account and its passkey, and logs it in. It fails with
// passkey.ErrMalformed, ErrUnverified or ErrTaken, with challenge.ErrGone, with
// user.ErrEmailTaken, and as account.MayRegister does.
func (s *Service) SignUp(ctx context.Context, call command.Call, id string, credential []byte) (Joined, error) {
	given, err := s.created(credential)
	if err != nil {
		return Joined{}, err
	}
	var made account.Made
	var opened login.Opened
	err = s.spent(ctx, func(tx Repos) error {
		found, content, err := s.take(ctx, tx, challenge.PasskeySignup, given.Challenge())
		switch {
		case err != nil:
			return err
		case found.Digest != id:
			return challenge.ErrGone
		}
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
		return Joined{}, err
	}
	outcome, err := s.Login.Answer(opened, "", nil)
	return Joined{User: opened.User, Workspace: made.Workspace.Snapshot(), Outcome: outcome}, err
}

// admissible judges a sign-up before anything of it is stored.
func (s *Service) admissible(ctx context.Context, tx Repos, given outbound.CreatedPasskey, content remembered) (passkey.Record, error) {
	if err := account.MayRegister(s.Instance.State(), content.Newcomer.Email); err != nil {
		return passkey.Record{}, err
	}
	record, err := given.Verify(content.State, content.Newcomer.ID)
	if err != nil {
		return passkey.Record{}, err
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

// join makes the account. That its address is taken is told before anything is
// stored.
func (s *Service) join(ctx context.Context, tx Repos, who newcomer) (account.Made, error) {
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	return account.Create(ctx, people, s.IDs, account.New{
		ID: who.ID, Email: who.Email, DisplayName: string(who.DisplayName),
	}, s.Clock.Now())
}

// enterNew stores the passkey of a new account and logs it in.
func (s *Service) enterNew(ctx context.Context, tx Repos, call command.Call, made account.Made, r passkey.Registration) (login.Opened, error) {
	held := passkey.Register(r, s.Clock.Now())
	err := tx.Passkeys.Save(ctx, held)
	if errors.Is(err, passkey.ErrTaken) {
		// Somebody was faster, after the account was stored: nothing of it may stay.
		return login.Opened{}, aggregate.ErrConflict
	}
	if err != nil {
		return login.Opened{}, err
	}
	if err := account.QueueVerification(ctx, tx.Mails, made.User.ID(), made.User.Snapshot().Email); err != nil {
		return login.Opened{}, err
	}
	opened, _, err := s.Login.Enter(ctx, tx.Repos, login.Proof{
		UserID: made.User.ID(), Org: made.Workspace.ID(), AMR: held.AMR(true), Whole: true, New: true,
		Call: call, Policies: s.Instance.State().Policies,
	})
	return opened, err
}
