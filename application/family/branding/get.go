package branding

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/workspace"
)

// asksPerMinute bounds one address: every page that it opens asks once.
const asksPerMinute = 6000

// GetParams are the parameters of BRANDING.GET.
type GetParams struct {
	OrgSlug workspace.Slug `json:"org_slug,omitzero" doc:"Slug of the workspace whose branding to retrieve. Defaults to the active workspace of the credential sent. An unknown slug gets the branding of the instance." example:"-"`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, Branding]{
		Name:        "BRANDING.GET",
		Summary:     "Retrieve the branding of a workspace or the instance.",
		Description: "Branding is the look of emails and pages.",
		Access:      access.Optional().Unproved(),
		Effect:      command.Reads,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, asksPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p GetParams) (Branding, error) {
			if p.OrgSlug != "" {
				inForce, err := s.BrandingDirectory.InForceAt(ctx, p.OrgSlug)
				return show(inForce), err
			}
			inForce, err := s.BrandingDirectory.InForce(ctx, call.Caller.Org)
			return show(inForce), err
		},
	})
}
