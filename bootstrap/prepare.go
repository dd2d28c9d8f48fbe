package bootstrap

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/account"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// errEnough is returned if there is a superadmin already.
var errEnough = errors.New("a superadmin already exists")

// foundation are the repositories written at startup.
type foundation struct {
	people account.Repos
	keys   ops.KeyRing
}

func foundationRepos(tx *sqlstore.Tx) foundation {
	return foundation{
		people: account.Repos{Users: people.Users(tx), Credentials: signin.Credentials(tx), Workspaces: workspaces.Workspaces(tx)},
		keys:   opsstore.KeyRing(tx),
	}
}

func (p *parts) foundation() outbound.Unit[foundation] {
	return sqlstore.NewUnit(p.store, foundationRepos)
}

// prepare initializes a new instance, and loads its configuration. Concurrent starts of
// replicas share the result.
func (p *parts) prepare(ctx context.Context) error {
	if err := p.makeKeys(ctx); err != nil {
		return fmt.Errorf("create the first signing keys: %w", err)
	}
	if _, err := p.instance.At(ctx, 0); err != nil {
		return err
	}
	if p.config.AdminEmail == "" {
		return nil
	}
	err := p.makeAdmin(ctx, p.config.AdminEmail, p.config.AdminPassword, true)
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("create the first superadmin from BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD: %w", err)
	}
	return nil
}

// makeKeys generates the first signing keys.
func (p *parts) makeKeys(ctx context.Context) error {
	return p.foundation().Do(ctx, func(tx foundation) error {
		ring, err := tx.keys.Load(ctx)
		if err != nil || ring != nil {
			return err
		}
		active, err := p.keys.Fresh(signingkey.ES256)
		if err != nil {
			return err
		}
		next, err := p.keys.Fresh(signingkey.ES256)
		if err != nil {
			return err
		}
		return tx.keys.Save(ctx, signingkey.NewRing(active, next, p.clock.Now()))
	})
}

// makeAdmin creates a superadmin. With first set, it fails with errEnough if there is
// one already.
func (p *parts) makeAdmin(ctx context.Context, address, plain string, first bool) error {
	if err := p.mayMakeAdmin(ctx, first); err != nil {
		return err
	}
	parsed, err := email.Parse(address)
	if err != nil {
		return err
	}
	owner := config.AdminOwner(parsed)
	hash, err := p.passwords.Accept(ctx, "/password", secret.New(plain), owner, policy.Defaults().Password)
	if err != nil {
		return err
	}
	wanted := account.Draft{Email: parsed, Verified: true, DisplayName: owner.Name, Hash: hash, Superadmin: true}
	return p.foundation().Do(ctx, func(tx foundation) error {
		if err := p.enough(ctx, tx, first); err != nil {
			return err
		}
		_, err := account.Create(ctx, tx.people, p.ids, wanted, p.clock.Now())
		return err
	})
}

// mayMakeAdmin avoids an unnecessary password hash.
func (p *parts) mayMakeAdmin(ctx context.Context, first bool) error {
	return p.foundation().Do(ctx, func(tx foundation) error { return p.enough(ctx, tx, first) })
}

func (p *parts) enough(ctx context.Context, tx foundation, first bool) error {
	if !first {
		return nil
	}
	others, err := tx.people.Users.OtherSuperadmins(ctx, user.ID(""), p.clock.Now())
	if err == nil && others > 0 {
		return errEnough
	}
	return err
}
