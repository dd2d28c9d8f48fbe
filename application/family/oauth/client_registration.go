package oauth

import (
	"context"

	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
)

// registration returns the registration that a caller asks for.
func (s *Service) registration(p registration.Metadata, in registration.Sector, caller access.Caller) (app.Registration, error) {
	var origin app.Origin
	if !caller.Authenticated() {
		origin = app.ByAnybody
	}
	r, err := s.Registrations.Registration(p, in, origin)
	if err != nil {
		return app.Registration{}, err
	}
	if beyond := caller.Beyond(r.Scopes); origin.Vouched() && beyond != "" {
		return app.Registration{}, fault.New(fault.Denied, "insufficient_scope: you do not hold the scope "+beyond+", so you cannot grant it to a client")
	}
	r.ID, r.OrgID, r.Vouched = app.ID(s.IDs.UUID()), caller.Org, caller.Superadmin
	r.Slug = r.ID.String()
	return r, nil
}

// registerClient stores a client, and returns it with what it proves itself by.
func (s *Service) registerClient(ctx context.Context, r app.Registration) (RegisteredClient, error) {
	now := s.Clock.Now()
	token := keytext.New(keytext.Registration, s.Random)
	r.Token = string(token)
	var shown secret.Shown
	if method := r.Rules.AuthMethod; method == app.AuthBasic || method == app.AuthPost {
		shown = keytext.New(keytext.AppSecret, s.Random)
		r.Secret = app.NewSecret(app.NewSecretID(s.IDs), string(shown), now)
	}
	var made *app.App
	err := s.Unit.Do(ctx, func(tx Repos) error {
		err := s.findRoom(ctx, tx, &r)
		if err != nil {
			return err
		}
		if made, err = app.Register(r, now); err != nil {
			return inRFC(err)
		}
		return tx.Apps.Save(ctx, made)
	})
	if err != nil {
		return RegisteredClient{}, err
	}
	if made.Snapshot().LogsIn() {
		if _, err := s.Authorization.Keys.Signing(ctx, made.Snapshot().SignedBy()); err != nil {
			return RegisteredClient{}, err
		}
	}
	client := s.described(made.Snapshot())
	client.ClientSecret, client.RegistrationToken = shown, token
	if shown != "" {
		client.SecretExpiresAt = new(int64)
	}
	return client, nil
}

// findRoom checks that the workspace may have one more client. For a client that nobody vouches
// for, it also chooses the workspace.
func (s *Service) findRoom(ctx context.Context, tx Repos, r *app.Registration) error {
	state := s.Instance.State()
	if r.Origin.Vouched() {
		have, err := tx.Quotas.Apps(ctx, r.OrgID)
		if most := state.Settings.MaxApps; err == nil && have >= most {
			return workspace.OverQuota(most, "app", "delete unused apps", "max_apps")
		}
		return err
	}
	strangers := registration.Repos{Apps: tx.Apps, Strangers: tx.Strangers}
	var err error
	if r.OrgID, err = strangers.Home(ctx, state); err != nil {
		return err
	}
	return strangers.Room(ctx, r.OrgID)
}
