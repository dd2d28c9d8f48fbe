package branding

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	look "gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// errInstance is returned to callers who may not change the instance's branding.
var errInstance = fault.New(fault.Denied, "the instance's look is for superadmins: name the workspace in org_id")

// SetParams are the parameters of BRANDING.SET.
type SetParams struct {
	OrgID        workspace.ID                  `json:"org_id,omitzero" doc:"Workspace whose look to change: the active one, or any for a superadmin; absent: the instance, which needs a superadmin." example:"-"`
	Name         patch.Optional[look.Name]     `json:"name,omitzero" nullable:"true" doc:"What people know the service by; null takes it back."`
	LogoURL      patch.Optional[look.LogoURL]  `json:"logo_url,omitzero" nullable:"true" doc:"https address of a picture; null takes it back."`
	Colors       patch.Optional[look.Colors]   `json:"colors,omitzero" nullable:"true" doc:"All colors, in place of those before; those that are absent are built in, and null takes them back."`
	SupportEmail patch.Optional[email.Address] `json:"support_email,omitzero" nullable:"true" doc:"Where people find help, shown to everybody; null takes it back."`
	Locale       patch.Optional[user.Locale]   `json:"locale,omitzero" nullable:"true" doc:"Language of mail to people who chose none, where its templates have a text for it; null takes it back."`
}

// SetResult is the result of BRANDING.SET.
type SetResult struct {
	Branding Branding `json:"branding" doc:"The look in force after the change."`
}

func (s *Service) set() command.Definition {
	return command.Define(command.Spec[SetParams, SetResult]{
		Name:    "BRANDING.SET",
		Summary: "Change the look of mails and pages; what is absent stays. The instance's needs a superadmin.",
		Access:  access.Holding("branding:write"),
		Effect:  command.Writes,
		Emits:   []event.Kind{look.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p SetParams) (SetResult, error) {
			if err := allowed(call.Caller, p.OrgID); err != nil {
				return SetResult{}, err
			}
			var result SetResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := store(ctx, tx, p); err != nil {
					return err
				}
				inForce, err := tx.Brandings.InForce(ctx, p.OrgID)
				result.Branding = show(inForce)
				return err
			})
			return result, err
		},
	})
}

// allowed fails with errInstance or workspace.ErrNotFound.
func allowed(caller access.Caller, org workspace.ID) error {
	switch {
	case caller.Superadmin:
		return nil
	case org == "":
		return errInstance
	case org != caller.Org:
		return workspace.ErrNotFound
	}
	return nil
}

// store keeps the change, unless it changes nothing. It fails with
// workspace.ErrNotFound.
func store(ctx context.Context, tx Repos, p SetParams) error {
	before, err := tx.Brandings.Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	after, changed := p.over(before)
	if len(changed) == 0 {
		return nil
	}
	if err := tx.Brandings.Set(ctx, p.OrgID, after); err != nil {
		return err
	}
	change, err := aggregate.Between("", before, after)
	if err != nil {
		return err
	}
	return tx.Events.RecordChange(ctx, look.Updated{OrgID: p.OrgID.String(), Changed: changed}, change)
}

// over returns a look with the change, and the names of what it changes.
func (p SetParams) over(l look.Look) (look.Look, []string) {
	var changed []string
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	note("name", put(&l.Name, p.Name))
	note("logo_url", put(&l.LogoURL, p.LogoURL))
	note("colors", put(&l.Colors, p.Colors))
	note("support_email", put(&l.SupportEmail, p.SupportEmail))
	note("locale", put(&l.Locale, p.Locale))
	return l, changed
}

// put carries out what was sent for one value, and reports whether it changed anything.
func put[T comparable](into *T, sent patch.Optional[T]) bool {
	var next T
	if sent.Value != nil {
		next = *sent.Value
	}
	if !sent.Given || *into == next {
		return false
	}
	*into = next
	return true
}
