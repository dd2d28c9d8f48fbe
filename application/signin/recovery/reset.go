package recovery

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
)

// ResetResult lists what a reset ended and which credentials stay.
type ResetResult struct {
	account.Ended

	Remaining []Remaining
}

// Remaining is a credential that is still valid after a reset. If it was not set up by the
// owner of the account, they can remove it by the command EndBy.
type Remaining struct {
	Kind RemainingKind
	ID   string
	Name string
	// EndBy is the name of the command.
	EndBy string
}

// RemainingKind is the kind of a remaining credential.
type RemainingKind string

// The kinds of remaining credentials.
const (
	Passkey  RemainingKind = "passkey"
	Identity RemainingKind = "identity"
	DPoPKey  RemainingKind = "dpop_key"
	// App is an enabled app of the personal workspace.
	App RemainingKind = "app"
)

// Reset sets a new password by a link, and ends everything in account.Parts. It
// fails with challenge.ErrGone, or with what is wrong with the password; in that case the
// link is not used up.
func (s *Service) Reset(ctx context.Context, token, plain secret.String) (ResetResult, error) {
	next, err := s.accept(ctx, token, plain)
	if err != nil {
		return ResetResult{}, err
	}
	var done ResetResult
	var personal workspace.ID
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if err := tx.Sessions.HoldOff(ctx, next.whose, ""); err != nil {
			return err
		}
		link, err := s.take(ctx, tx.Repos, token, challenge.PasswordReset)
		if err != nil {
			return err
		}
		if done.Ended, err = s.replace(ctx, tx, link, next.hash); err != nil {
			return err
		}
		if done.Remaining, err = remaining(ctx, tx, link.user.ID(), s.Clock.Now()); err != nil {
			return err
		}
		if personal, err = tx.Belonging.Personal(ctx, next.whose); err != nil {
			return err
		}
		return tx.FlowRuns().Add(ctx, next.decidedBy...)
	})
	if err != nil {
		return ResetResult{}, err
	}
	apps, err := s.apps(ctx, personal)
	done.Remaining = append(done.Remaining, apps...)
	return done, err
}

// appsAtOnce is how many apps are read at a time.
const appsAtOnce = 200

// apps lists the enabled apps of a personal workspace.
func (s *Service) apps(ctx context.Context, personal workspace.ID) ([]Remaining, error) {
	var left []Remaining
	for query := (machines.AppQuery{Org: personal, Limit: appsAtOnce}); personal != ""; {
		found, err := s.Apps.List(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			if one.Enabled {
				left = append(left, Remaining{App, one.ID.String(), one.Name, "APP.DELETE"})
			}
		}
		if len(found) < appsAtOnce {
			return left, nil
		}
		query.Before = found[len(found)-1].ID
	}
	return left, nil
}

// accepted is a new password that meets the policies of its account.
type accepted struct {
	whose     user.ID
	hash      string
	decidedBy []flow.Run
}

// accept checks and hashes a new password for the account of a link.
func (s *Service) accept(ctx context.Context, token, plain secret.String) (accepted, error) {
	whose, err := s.behind(ctx, token, challenge.PasswordReset)
	if err != nil {
		return accepted{}, err
	}
	decidedBy, err := s.decide(ctx, whose)
	if err != nil {
		return accepted{}, err
	}
	rules, err := s.Policies.OfUser(ctx, whose.ID)
	if err != nil {
		return accepted{}, err
	}
	owner := password.Owner{Email: whose.Email.String(), Name: whose.DisplayName}
	hash, err := s.Passwords.Accept(ctx, "/password", plain, owner, rules.Password)
	return accepted{whose.ID, hash, decidedBy}, err
}

// behind returns the account that a link is for, without using it. It fails with
// challenge.ErrGone.
func (s *Service) behind(ctx context.Context, token secret.String, kinds ...challenge.Kind) (user.Snapshot, error) {
	digest := challenge.Digest(token.Reveal())
	waiting, err := s.Links.Find(ctx, digest, s.Clock.Now(), kinds...)
	if err != nil {
		return user.Snapshot{}, err
	}
	whose, err := s.Directory.Find(ctx, people.UserKey{ID: waiting.UserID})
	if errors.Is(err, user.ErrNotFound) || (err == nil && !whose.Usable(s.Clock.Now())) {
		return user.Snapshot{}, challenge.ErrGone
	}
	return whose, err
}

// replace stores the new password. A mailed link proves access to the mailbox: an account
// that is not yet bound to it is claimed, and for a while mailed codes do not count as a
// second factor.
func (s *Service) replace(ctx context.Context, tx Repos, link usedLink, hash string) (account.Ended, error) {
	now, owner := s.Clock.Now(), link.user.ID()
	var claimed account.Ended
	var err error
	if !link.box.Handed {
		if claimed, err = tx.Claiming().Claim(ctx, link.user, "", now); err != nil {
			return account.Ended{}, err
		}
		if err := distrustMail(ctx, tx, owner, now); err != nil {
			return account.Ended{}, err
		}
	}
	held, err := tx.Credentials.ByUser(ctx, owner)
	if err != nil {
		return account.Ended{}, err
	}
	held.Reset(hash, now)
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return account.Ended{}, err
	}
	link.user.Fulfill(user.ChangePassword, now)
	ended, err := tx.End(ctx, link.user, account.EndOptions{Reason: session.ByPasswordChange}, now)
	return claimed.Plus(ended), err
}

func distrustMail(ctx context.Context, tx Repos, owner user.ID, now time.Time) error {
	factors, err := tx.Factors.ByUser(ctx, owner)
	if err != nil {
		return err
	}
	factors.DistrustMail(now)
	return tx.Factors.Save(ctx, factors)
}

// remaining lists the credentials of an account that are still valid.
func remaining(ctx context.Context, tx Repos, owner user.ID, now time.Time) ([]Remaining, error) {
	left := []Remaining{}
	passkeys, err := tx.Passkeys.Held(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, one := range passkeys {
		left = append(left, Remaining{Passkey, one.ID.String(), string(one.Name), "WEBAUTHN.REVOKE"})
	}
	linked, err := tx.Identities.ByUser(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, one := range linked {
		left = append(left, Remaining{Identity, one.ID().String(), one.Snapshot().Upstream.Provider, "AUTH.SOCIAL_UNLINK"})
	}
	keys, err := tx.Bindings.Held(ctx, dpop.Owner{User: owner}, now)
	if err != nil {
		return nil, err
	}
	for _, one := range keys {
		left = append(left, Remaining{DPoPKey, one.ID.String(), string(one.Name), "DPOP.REVOKE"})
	}
	return left, nil
}
