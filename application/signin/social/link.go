package social

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/identity"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// Link links an upstream account to the account of the caller, who began it in the same
// session. It fails with identity.ErrElsewhere or identity.ErrHeld. If the link proves the
// address of the account for the first time, the account is claimed: all credentials but
// this session end (account.Claim).
func (s *Service) Link(ctx context.Context, call command.Call, r Return) (identity.Snapshot, error) {
	begun, err := s.redeem(ctx, call, r)
	if err != nil {
		return identity.Snapshot{}, err
	}
	from, err := s.arrive(ctx, begun)
	if err != nil {
		return identity.Snapshot{}, err
	}
	var linked identity.Snapshot
	err = s.Unit.Do(ctx, func(tx Repos) error {
		linked, err = s.link(ctx, tx, call, from)
		return err
	})
	return linked, err
}

func (s *Service) link(ctx context.Context, tx Repos, call command.Call, from arrival) (identity.Snapshot, error) {
	u, err := tx.Users.ByID(ctx, call.Caller.User)
	if err != nil {
		return identity.Snapshot{}, err
	}
	if !u.Snapshot().Usable(s.Login.Clock.Now()) {
		return identity.Snapshot{}, domainsocial.ErrRefused
	}
	linked, err := tx.Identities.ByUpstream(ctx, from.upstream())
	if err != nil && !errors.Is(err, identity.ErrNotFound) {
		return identity.Snapshot{}, err
	}
	if err == nil && linked.Snapshot().UserID != u.ID() {
		return identity.Snapshot{}, identity.ErrElsewhere
	}
	if err != nil {
		if linked, err = s.attach(ctx, tx, call, u, from); err != nil {
			return identity.Snapshot{}, err
		}
	} else {
		linked.Renew(from.tokens)
	}
	if err := tx.Identities.Save(ctx, linked); err != nil {
		return identity.Snapshot{}, err
	}
	return linked.Snapshot(), nil
}

// attach creates the identity to link. The account is stored even if it did not change, so
// that a concurrent change of it conflicts with its version.
func (s *Service) attach(ctx context.Context, tx Repos, call command.Call, u *user.User, from arrival) (*identity.Identity, error) {
	held, err := of(ctx, tx, u.ID(), from.client.Provider)
	if err != nil {
		return nil, err
	}
	if held != nil {
		return nil, identity.ErrHeld
	}
	if from.Profile.Proves(u.Snapshot()) {
		err = s.bind(ctx, tx, call.Caller, u)
	} else {
		err = tx.Users.Save(ctx, u)
	}
	return identity.Link(identity.Draft{
		ID: identity.NewID(s.Login.IDs), UserID: u.ID(), Upstream: from.upstream(), Email: from.Profile.Email, Tokens: from.tokens,
	}, s.Login.Clock.Now()), err
}

// bind records that the provider vouches for the address of the caller's account. If the
// address was not verified, or not bound, the account is claimed. The domain of the address
// may make them a member of a workspace.
func (s *Service) bind(ctx context.Context, tx Repos, caller access.Caller, u *user.User) error {
	now := s.Login.Clock.Now()
	var err error
	if u.Snapshot().EmailVerified && login.Proves(caller, u.ID()) {
		u.VerifyEmail(user.Bound, now)
		err = tx.Users.Save(ctx, u)
	} else {
		_, err = tx.Claiming().Claim(ctx, u, caller.Session, now)
	}
	if err == nil {
		_, err = tx.Domains.Join(ctx, u.Snapshot(), "", now)
	}
	return err
}

// Unlink removes an identity of an account. It fails like UnlinkRepos.Unlink.
func (s *Service) Unlink(ctx context.Context, owner user.ID, meant func(identity.Snapshot) bool) error {
	on, err := s.Providers.Enabled(ctx)
	if err != nil {
		return err
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		return UnlinkRepos{Identities: tx.Identities, LoginMethods: tx.WaysIn, Challenges: tx.Challenges, Providers: on}.Unlink(ctx, owner, meant)
	})
}

// UnlinkRepos is what removing an identity needs to store.
type UnlinkRepos struct {
	Identities   signin.Identities
	LoginMethods signin.LoginMethods
	Challenges   signin.Challenges
	// Providers lists the providers that are switched on.
	Providers []string
}

// Unlink removes an identity of an account, and the pending logins by it. It fails with
// identity.ErrNotFound, or with identity.ErrLast if the account would have no way to log in
// left.
func (tx UnlinkRepos) Unlink(ctx context.Context, owner user.ID, meant func(identity.Snapshot) bool) error {
	all, err := tx.Identities.ByUser(ctx, owner)
	if err != nil {
		return err
	}
	for _, one := range all {
		if !meant(one.Snapshot()) {
			continue
		}
		one.Unlink()
		if err := tx.Identities.Delete(ctx, one); err != nil {
			return err
		}
		if _, err := account.DropLogins(ctx, tx.Challenges, owner); err != nil {
			return err
		}
		left, err := tx.LoginMethods.Left(ctx, owner, tx.Providers)
		if err == nil && !left {
			return identity.ErrLast
		}
		return err
	}
	return identity.ErrNotFound
}
