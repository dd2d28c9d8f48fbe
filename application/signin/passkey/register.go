package passkey

import (
	"context"
	"errors"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// BeginRegistration begins the registration of another passkey of the caller. It
// fails with passkey.ErrTooMany.
func (s *Service) BeginRegistration(ctx context.Context, caller access.Caller) (begun Ceremony, err error) {
	profile := caller.Profile
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := room(ctx, tx, caller)
		if err != nil {
			return err
		}
		ceremony, err := s.Ceremonies.Create(signin.PasskeyCreation{
			Owner: caller.User, Name: profile.Email.String(), DisplayName: profile.DisplayName, Held: held,
		})
		if err != nil {
			return err
		}
		begun, err = s.open(ctx, tx.Challenges, newCeremony{kind: challenge.PasskeyRegistration, about: caller.User, ceremony: ceremony})
		return err
	})
	return begun, err
}

// room locks the account of the caller and returns their passkeys. It fails with
// passkey.ErrTooMany if they may not have one more.
func room(ctx context.Context, tx Repos, caller access.Caller) ([]passkey.Snapshot, error) {
	held, err := tx.Passkeys.Held(ctx, caller.User)
	if err != nil {
		return nil, err
	}
	if len(held) >= passkey.MaxHeld {
		return nil, passkey.ErrTooMany
	}
	return held, nil
}

// Register stores the passkey that a browser created for the caller. It fails with
// passkey.ErrMalformed, ErrUnverified, ErrTaken or ErrTooMany, with challenge.ErrGone,
// or with session.ErrEnded if the session has ended meanwhile.
func (s *Service) Register(ctx context.Context, call command.Call, credential []byte, name passkey.Name) (passkey.Snapshot, error) {
	given, err := s.created(credential)
	if err != nil {
		return passkey.Snapshot{}, err
	}
	var made *passkey.Passkey
	err = s.spent(ctx, func(tx Repos) error {
		found, content, err := s.take(ctx, tx, challenge.PasskeyRegistration, given.Challenge())
		switch {
		case err != nil:
			return err
		case found.UserID != call.Caller.User:
			return challenge.ErrGone
		}
		record, err := given.Verify(content.State, call.Caller.User)
		if err != nil {
			return err
		}
		made = passkey.Register(passkey.Registration{
			ID: passkey.NewID(s.IDs), UserID: call.Caller.User, CredentialID: given.CredentialID(),
			Name: named(name, call), Record: record,
		}, s.Clock.Now())
		return s.add(ctx, tx, call.Caller, made)
	})
	if err != nil {
		return passkey.Snapshot{}, err
	}
	return made.Snapshot(), nil
}

// add stores a passkey of the caller, who has proved presence by it. It fails if the session
// has ended, because whatever ended it may have removed all passkeys.
func (s *Service) add(ctx context.Context, tx Repos, caller access.Caller, made *passkey.Passkey) error {
	if _, err := room(ctx, tx, caller); err != nil {
		return err
	}
	held, err := tx.Sessions.ByID(ctx, caller.Session)
	if errors.Is(err, session.ErrNotFound) {
		return session.ErrEnded
	}
	if err != nil {
		return err
	}
	if err := held.Strengthen(login.Joined(held.Snapshot().AMR, made.AMR(true)...), s.Clock.Now()); err != nil {
		return err
	}
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return err
	}
	if err := tx.Passkeys.Save(ctx, made); err != nil {
		return err
	}
	u, err := tx.Users.ByID(ctx, caller.User)
	if err != nil || !slices.Contains(u.Snapshot().RequiredActions, user.EnrollMFA) {
		return err
	}
	u.Fulfill(user.EnrollMFA, s.Clock.Now())
	return tx.Users.Save(ctx, u)
}

// named returns the name of a new passkey: the one that its owner chose, or else that of the
// device that created it.
func named(name passkey.Name, call command.Call) passkey.Name {
	if name != "" {
		return name
	}
	if described := device.Describe(call.UserAgent); described != "" {
		return passkey.Name(described)
	}
	return passkey.Unnamed
}
