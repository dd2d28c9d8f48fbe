package branding

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	domainbranding "gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// errInstance is returned to callers who may not change the instance's branding.
var errInstance = fault.New(fault.Denied, "only superadmins can change the branding of the instance: set org_id to a workspace")

// SetParams are the parameters of BRANDING.SET.
type SetParams struct {
	OrgID        workspace.ID                           `json:"org_id,omitzero" doc:"ID of the workspace whose branding to change: the active one, or any for a superadmin. Omit for the instance, which requires a superadmin." example:"-"`
	Name         patch.Optional[domainbranding.Name]    `json:"name,omitzero" nullable:"true" doc:"Name of the service, as shown to users. Pass null to reset it."`
	LogoURL      patch.Optional[domainbranding.LogoURL] `json:"logo_url,omitzero" nullable:"true" doc:"https URL of a logo. Pass null to reset it."`
	Colors       patch.Optional[domainbranding.Colors]  `json:"colors,omitzero" nullable:"true" doc:"Colors of emails and pages. Replaces all current colors; omitted colors use the built-in ones. Pass null to reset all colors."`
	SupportEmail patch.Optional[email.Address]          `json:"support_email,omitzero" nullable:"true" doc:"Email address for support, shown to everyone. Pass null to reset it."`
	Locale       patch.Optional[user.Locale]            `json:"locale,omitzero" nullable:"true" doc:"Language of emails to users who chose none, if the templates have a text in it. Pass null to reset it."`
}

// SetResult is the result of BRANDING.SET.
type SetResult struct {
	Branding Branding `json:"branding" doc:"Branding in force after the change."`
}

const setDescription = "Branding is the look of emails and pages. Omitted fields keep their values. Changing the branding of the instance " +
	"requires a superadmin."

func (s *Service) set() command.Definition {
	return command.Define(command.Spec[SetParams, SetResult]{
		Name:        "BRANDING.SET",
		Summary:     "Update the branding of a workspace or the instance.",
		Description: setDescription,
		Access:      access.Holding("branding:write"),
		Effect:      command.Writes,
		Emits:       []event.Kind{domainbranding.KindUpdated},
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
	return tx.Events.RecordChange(ctx, domainbranding.Updated{OrgID: p.OrgID.String(), Changed: changed}, change)
}

// over returns a look with the change, and the names of what it changes.
func (p SetParams) over(l domainbranding.Settings) (domainbranding.Settings, []string) {
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
