package keys

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Keys ops.KeyRing
}

// Rack returns the signing keys for clients: of ID tokens and logout tokens, by the
// algorithm of the app.
//
// # Decision: a key is created when its algorithm is first needed
//
// Context: an instance whose apps all use ES256 needs no RSA key, and after a rotation
// to RS256 no ES256 key need be kept.
//
// Choice: registering an app, a rotation and, at the latest, issuing a token request a
// key of an algorithm; the first one to find none adds it to the ring. Clients with a
// cached JWK Set find the new key by its kid (OpenID Connect Core section 10.1.1).
//
// What would change our mind: a third algorithm, or clients that never read the set
// again.
type Rack struct {
	Maker

	Unit     outbound.Unit[Repos]
	Apps     machines.AppDirectory
	Instance *instance.Current
}

// Signing returns the active key of an algorithm, which it makes where there is none.
func (r *Rack) Signing(ctx context.Context, by signingkey.Algorithm) (crypt.SigningKey, error) {
	if key := r.Instance.State().Keys.Signing(by); key != nil {
		return key, nil
	}
	active, err := r.provide(ctx, by)
	if err != nil {
		return nil, err
	}
	key, err := r.JOSE.Load(active.KID, string(active.Algorithm), active.Private)
	if err != nil {
		return nil, fmt.Errorf("load signing key %s: %w", active.KID, err)
	}
	return key, nil
}

// Complete makes the keys that apps need for ID tokens and the ring lacks, as after a rotation.
func (r *Rack) Complete(ctx context.Context) error {
	for _, algorithm := range signingkey.ForTokens() {
		needed, err := r.Apps.NeedIDTokens(ctx, algorithm)
		if err != nil {
			return err
		}
		if !needed {
			continue
		}
		if _, err := r.provide(ctx, algorithm); err != nil {
			return err
		}
	}
	return nil
}

// provide returns the active key of an algorithm as the store has it, and adds one where there
// is none. That is made between two units of work, for it takes a while.
func (r *Rack) provide(ctx context.Context, by signingkey.Algorithm) (signingkey.Key, error) {
	var active signingkey.Key
	var there bool
	err := r.Unit.Do(ctx, func(tx Repos) error {
		ring, err := tx.Keys.Load(ctx)
		if err == nil {
			active, there = ring.ActiveOf(by)
		}
		return err
	})
	if err != nil || there {
		return active, err
	}
	fresh, err := r.Fresh(by)
	if err != nil {
		return signingkey.Key{}, err
	}
	err = r.Unit.Do(ctx, func(tx Repos) error {
		ring, err := tx.Keys.Load(ctx)
		if err != nil {
			return err
		}
		provided := ring.Provide(fresh, r.Clock.Now())
		active, _ = ring.ActiveOf(by)
		if !provided {
			return nil // somebody else was faster
		}
		return tx.Keys.Save(ctx, ring)
	})
	return active, err
}
