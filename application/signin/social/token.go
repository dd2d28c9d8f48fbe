package social

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/identity"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound/signin"
)

// Token returns the caller's tokens at a provider, refreshed when due. It fails with
// identity.ErrNotFound, domainsocial.ErrOff, or domainsocial.ErrTokenEnded if the provider refuses
// to refresh them.
func (s *Service) Token(ctx context.Context, call command.Call, p domainsocial.Provider) (identity.Tokens, error) {
	client, err := s.Providers.client(ctx, p)
	if err != nil {
		return identity.Tokens{}, err
	}
	before, err := s.tokens(ctx, call.Caller.User, p)
	if err != nil || !before.Due(s.Login.Clock.Now()) {
		return before, err
	}
	if before.Refresh.Empty() {
		return identity.Tokens{}, domainsocial.ErrTokenEnded
	}
	var fresh signin.UpstreamTokens
	err = s.Transactions.Pause(ctx, func() (err error) {
		fresh, err = s.Upstream.Refresh(ctx, client, before.Refresh)
		return err
	})
	if errors.Is(err, domainsocial.ErrCode) {
		return s.elsewhere(ctx, call.Caller.User, p)
	}
	if err != nil {
		s.complain(ctx, p, err)
		return identity.Tokens{}, err
	}
	return s.renewed(ctx, call.Caller.User, p, s.kept(fresh))
}

// tokens reads the stored tokens.
func (s *Service) tokens(ctx context.Context, owner user.ID, p domainsocial.Provider) (tokens identity.Tokens, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := own(ctx, tx, owner, p)
		if err == nil {
			tokens = held.Snapshot().Tokens
		}
		return err
	})
	return tokens, err
}

// own returns the identity of a provider that is linked to an account. It fails with
// identity.ErrNotFound.
func own(ctx context.Context, tx Repos, owner user.ID, p domainsocial.Provider) (*identity.Identity, error) {
	held, err := of(ctx, tx, owner, p)
	if err == nil && held == nil {
		return nil, identity.ErrNotFound
	}
	return held, err
}

// elsewhere returns the tokens that a concurrent call has refreshed, which made the refresh
// token of this call invalid. It waits a moment for the other call to store them.
func (s *Service) elsewhere(ctx context.Context, owner user.ID, p domainsocial.Provider) (identity.Tokens, error) {
	const looks, pause = 5, 100 * time.Millisecond
	for range looks {
		now, err := s.tokens(ctx, owner, p)
		if err != nil || !now.Due(s.Login.Clock.Now()) {
			return now, err
		}
		if err := s.Transactions.Pause(ctx, func() error { return wait.For(ctx, pause) }); err != nil {
			return identity.Tokens{}, err
		}
	}
	return identity.Tokens{}, domainsocial.ErrTokenEnded
}

// renewed stores refreshed tokens with the identity.
func (s *Service) renewed(ctx context.Context, owner user.ID, p domainsocial.Provider, fresh identity.Tokens) (tokens identity.Tokens, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := own(ctx, tx, owner, p)
		if err != nil {
			return err
		}
		held.Renew(fresh)
		tokens = held.Snapshot().Tokens
		return tx.Identities.Save(ctx, held)
	})
	return tokens, err
}
