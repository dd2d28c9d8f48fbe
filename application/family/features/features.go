// Package features implements the family FEATURE: flags and entitlements of a
// workspace, their rules, overrides and evaluation.
package features

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/featureflags"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
)

// The permissions of the family.
const (
	reading = "features:read"
	writing = "features:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Features  licensing.Features
	Overrides licensing.Overrides
	Owners    licensing.Owners
	Events    outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory licensing.FeatureDirectory
	Products  licensing.ProductDirectory
	Deciding  *featureflags.Service
	Cursors   page.Cursors
	Clock     outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.list(),
		s.update(),
		s.delete(),
		s.evaluate(),
		s.overrideSet(),
		s.overrideList(),
		s.overrideDelete(),
	}
}

// Feature is a feature in results.
type Feature struct {
	Key         feature.Key    `json:"key" doc:"Key that programs use for the feature."`
	Type        feature.Type   `json:"type" doc:"Type of the feature's values."`
	Default     feature.Value  `json:"default" doc:"Value if nothing else decides."`
	Rules       []feature.Rule `json:"rules" doc:"Rules of the feature. The first rule that matches decides."`
	Enabled     bool           `json:"enabled" doc:"Whether the feature is enabled. If it is disabled, everybody gets the default."`
	Description string         `json:"description" doc:"Description of the feature, for people."`
	CreatedAt   time.Time      `json:"created_at" doc:"Time at which the feature was created."`
	UpdatedAt   time.Time      `json:"updated_at" doc:"Time at which the feature was last updated."`
}

// Result is a feature after a change.
type Result struct {
	Feature Feature `json:"feature" doc:"The feature after the change."`
}

// DeletedResult is the result of what deletes.
type DeletedResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func show(s feature.Snapshot) Feature {
	shown := Feature{
		Key: s.Key, Type: s.Type, Default: s.Default, Rules: s.Rules, Enabled: s.Enabled, Description: s.Description,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if shown.Rules == nil {
		shown.Rules = []feature.Rule{}
	}
	return shown
}

// Override is an override in results.
type Override struct {
	Key       feature.Key   `json:"key" doc:"Key of the feature."`
	UserID    user.ID       `json:"user_id,omitzero" doc:"Account that the override is for. Omitted if the override is for a workspace."`
	OrgID     workspace.ID  `json:"org_id,omitzero" doc:"Workspace that the override is for. Omitted if the override is for an account."`
	Value     feature.Value `json:"value" doc:"Value of the override."`
	ExpiresAt time.Time     `json:"expires_at,omitzero" doc:"Time at which the override expires. Omitted if it never expires."`
	SetAt     time.Time     `json:"set_at" doc:"Time at which the override was set."`
}

func showOverride(o feature.Override) Override {
	return Override{Key: o.Key, UserID: o.Whose.UserID, OrgID: o.Whose.OrgID, Value: o.Value, ExpiresAt: o.ExpiresAt, SetAt: o.SetAt}
}

// home returns the workspace that a caller acts in. It fails with workspace.ErrNotFound.
func home(caller access.Caller) (workspace.ID, error) {
	if caller.Org == "" {
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }

// change changes a feature of the caller's workspace while nobody else changes any of
// them; rules is how many all of them have.
func (s *Service) change(ctx context.Context, caller access.Caller, key feature.Key, change func(tx Repos, f *feature.Feature, rules int) error) error {
	org, err := home(caller)
	if err != nil {
		return err
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		_, rules, err := tx.Features.Hold(ctx, org)
		if err != nil {
			return err
		}
		found, err := tx.Features.ByKey(ctx, org, key)
		if err != nil {
			return err
		}
		return change(tx, found, rules)
	})
}
