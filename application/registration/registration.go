// Package registration registers clients without a person of a workspace: clients that
// register themselves (RFC 7591), and clients described by a metadata document.
package registration

import (
	"bytes"
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// MostStrangers is the maximum number of apps in a workspace that nobody vouches for.
// When there are more, the oldest without a consent is deleted.
const MostStrangers = 10_000

var (
	errFull = fault.New(fault.Denied, "limit of self-registered clients reached: ask an administrator to register this client")
	errHome = fault.New(fault.Denied, "client self-registration is not set up: ask a superadmin to choose a workspace in the setting client_workspace")
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Apps      machines.Apps
	Strangers machines.Strangers
	Resources machines.Resources
}

// Home returns the workspace of apps that nobody vouches for.
func (tx Repos) Home(ctx context.Context, state *instance.State) (workspace.ID, error) {
	if named := state.Settings.ClientWorkspace; len(named) > 0 {
		return named[0], nil
	}
	home, err := tx.Strangers.Home(ctx)
	if errors.Is(err, workspace.ErrNotFound) {
		return "", errHome
	}
	return home, err
}

// Room makes room in a workspace for another app that nobody vouches for.
func (tx Repos) Room(ctx context.Context, home workspace.ID) error {
	have, err := tx.Strangers.Count(ctx, home)
	if err != nil || have < MostStrangers {
		return err
	}
	id, err := tx.Strangers.Unused(ctx, home)
	if errors.Is(err, app.ErrNotFound) {
		return errFull
	}
	if err != nil {
		return err
	}
	unused, err := tx.Apps.ByID(ctx, id)
	if err != nil {
		return err
	}
	unused.Delete()
	return tx.Apps.Delete(ctx, unused)
}

// Keep stores a client that an address describes, as it is described now.
func (tx Repos) Keep(ctx context.Context, as app.Snapshot, now time.Time) error {
	held, err := tx.Apps.ByID(ctx, as.ID)
	switch {
	case errors.Is(err, app.ErrNotFound):
		if err := tx.Room(ctx, as.OrgID); err != nil {
			return err
		}
		err = tx.Apps.Save(ctx, app.Introduce(as, now))
		if errors.Is(err, app.ErrSlugTaken) { // by another who let it in at the same time
			return aggregate.ErrConflict
		}
		return err
	case err != nil:
		return err
	}
	held.Describe(as, now)
	if !held.Changed() {
		return nil
	}
	return tx.Apps.Save(ctx, held)
}

// publicSet parses a JWK Set and returns it with the required members only; "" for
// none. It fails with a validation fault with paths below the given one.
func publicSet(keys crypt.JWKS, given map[string]any, place string) (string, error) {
	if given == nil {
		return "", nil
	}
	raw, err := strictjson.Encode(given)
	if err != nil {
		return "", err
	}
	found, err := keys.ParsePublicSet(raw)
	if err != nil {
		return "", below(place, err)
	}
	written := make([][]byte, len(found))
	for i, key := range found {
		written[i] = key.JWK()
	}
	return `{"keys":[` + string(bytes.Join(written, []byte(","))) + `]}`, nil
}

// below puts the complaints of a fault below a place.
func below(place string, err error) error {
	complaints := fault.From(err).Fields
	if len(complaints) == 0 {
		return err
	}
	for i := range complaints {
		complaints[i].Path = place + complaints[i].Path
	}
	return fault.Refuse(complaints...)
}
