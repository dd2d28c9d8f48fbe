package features

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// OverrideSetParams are the parameters of FEATURE.OVERRIDE_SET.
type OverrideSetParams struct {
	Key       feature.Key   `json:"key" doc:"Key of the feature."`
	UserID    user.ID       `json:"user_id,omitzero" doc:"Account to set the override for, anywhere on the instance. Provide either user_id or org_id."`
	OrgID     workspace.ID  `json:"org_id,omitzero" doc:"Workspace to set the override for, anywhere on the instance. Provide either user_id or org_id." example:"-"`
	Value     feature.Value `json:"value" doc:"Value of the override. Must have the type of the feature."`
	ExpiresAt time.Time     `json:"expires_at,omitzero" doc:"Time at which the override expires. Must be in the future. Omit for an override that never expires." example:"-"`
}

// OverrideResult is the result of FEATURE.OVERRIDE_SET.
type OverrideResult struct {
	Override Override `json:"override" doc:"The override after the change."`
}

func (s *Service) overrideSet() command.Definition {
	return command.Define(command.Spec[OverrideSetParams, OverrideResult]{
		Name:           "FEATURE.OVERRIDE_SET",
		Summary:        "Override the value of a feature for a person or workspace.",
		Description:    "The override takes precedence over licenses, subscriptions, rules and the default.",
		Access:         access.Holding(writing),
		AboutWorkspace: true,
		Effect:         command.Writes,
		Emits:          []event.Kind{feature.KindOverrideSet},
		Handle: func(ctx context.Context, call command.Call, p OverrideSetParams) (result OverrideResult, err error) {
			org, err := home(call.Caller)
			if err != nil {
				return OverrideResult{}, err
			}
			whose := feature.Target{UserID: p.UserID, OrgID: p.OrgID}
			if err := whose.Check(); err != nil {
				return OverrideResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := tx.Features.ByKey(ctx, org, p.Key)
				if err != nil {
					return err
				}
				if err := there(ctx, tx, whose); err != nil {
					return err
				}
				set, err := found.Override(whose, p.Value, p.ExpiresAt.Truncate(time.Microsecond), s.now())
				if err == nil {
					set, err = s.pin(ctx, tx, set)
				}
				result.Override = showOverride(set)
				return err
			})
			return result, err
		},
	})
}

// pin stores an override, unless it is there already, and returns the one that is.
func (s *Service) pin(ctx context.Context, tx Repos, set feature.Override) (feature.Override, error) {
	before, err := tx.Overrides.Get(ctx, set.OrgID, set.Key, set.Whose, s.now())
	switch {
	case err == nil && before.Same(set):
		return before, nil
	case err != nil && !errors.Is(err, feature.ErrNoOverride):
		return set, err
	}
	if err := tx.Overrides.Put(ctx, set); err != nil {
		return set, err
	}
	return set, tx.Events.Record(ctx, set.Set())
}

// there holds off the deletion of whom something is pinned for. It fails with
// user.ErrNotFound or workspace.ErrNotFound.
func there(ctx context.Context, tx Repos, whose feature.Target) error {
	found, err := tx.Owners.Hold(ctx, license.Owner{UserID: whose.UserID, OrgID: whose.OrgID})
	switch {
	case err != nil || found:
		return err
	case whose.UserID != "":
		return user.ErrNotFound
	}
	return workspace.ErrNotFound
}
