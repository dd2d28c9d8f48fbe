// Package apps implements the family APP: service accounts and OAuth clients of a
// workspace, with their secrets, keys, scopes and claims.
package apps

import (
	"context"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
)

// The permissions of the family.
const (
	read  = "apps:read"
	write = "apps:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Apps   machines.Apps
	Tokens machines.IssuedTokens
	Quotas machines.Quotas
	Events outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Instance  *instance.Current
	Directory machines.AppDirectory
	Claims    *claims.Service
	// SigningKeys sign ID tokens.
	SigningKeys *keys.Rack
	// Registrations reads keys and scopes of apps.
	Registrations registration.Reader
	// Logouts is who sends logout tokens.
	Logouts delegation.LogoutSender
	Cursors page.Cursors
	Clock   outbound.Clock
	IDs     outbound.IDs
	Random  outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.register(),
		s.get(),
		s.list(),
		s.update(),
		s.delete(),
		s.rotateKey(),
		s.secretRevoke(),
		s.scopeGrant(),
		s.scopeRevoke(),
		s.setJWKS(),
		s.setClaims(),
		s.previewToken(),
	}
}

// Result is an app after a change.
type Result struct {
	App view.App `json:"app" doc:"The app after the change."`
}

// own reads an app that the caller sees. It fails with app.ErrNotFound, also for one
// of another workspace.
func own(ctx context.Context, tx Repos, caller access.Caller, id app.ID) (*app.App, error) {
	found, err := tx.Apps.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if !caller.Sees(found.Org()) || !caller.Reaches(id) {
		return nil, app.ErrNotFound
	}
	return found, nil
}

// changed applies a change to an app that the caller sees, stores it unless
// it changed nothing, and returns the app as it stands then. The tokens of an app that it
// switches off end.
func (s *Service) changed(ctx context.Context, caller access.Caller, id app.ID, change func(*app.App) error) (app.Snapshot, error) {
	var after app.Snapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		target, err := own(ctx, tx, caller, id)
		if err != nil {
			return err
		}
		before := target.Snapshot()
		if err := change(target); err != nil {
			return err
		}
		after = target.Snapshot()
		if !target.Changed() {
			return nil
		}
		if before.Enabled && !after.Enabled {
			now := s.Clock.Now()
			if _, err := tx.Tokens.RevokeAll(ctx, id, now, now); err != nil {
				return err
			}
		}
		return tx.Apps.Save(ctx, target)
	})
	return after, err
}

// newSecret makes a secret: the text to show once, and what is kept of it.
func (s *Service) newSecret() (secret.Shown, app.Secret) {
	text := keytext.New(keytext.AppSecret, s.Random)
	return text, app.NewSecret(app.NewSecretID(s.IDs), string(text), s.Clock.Now())
}
