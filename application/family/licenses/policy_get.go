package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
)

// PolicyParams name a license policy.
type PolicyParams struct {
	PolicyID product.PolicyID `json:"policy_id" doc:"ID of the policy."`
}

// PolicyGetResult is the result of LICENSE.POLICY_GET.
type PolicyGetResult struct {
	Policy       view.LicensePolicy `json:"policy" doc:"The policy."`
	LicenseCount int                `json:"license_count" doc:"Number of licenses issued from the policy."`
}

func (s *Service) policyGet() command.Definition {
	return command.Define(command.Spec[PolicyParams, PolicyGetResult]{
		Name:    "LICENSE.POLICY_GET",
		Summary: "Retrieve a license policy and the number of licenses issued from it.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p PolicyParams) (PolicyGetResult, error) {
			found, err := s.Policies.Find(ctx, p.PolicyID)
			if err == nil && !call.Caller.Sees(found.OrgID) {
				err = license.ErrNoPolicy
			}
			if err != nil {
				return PolicyGetResult{}, err
			}
			count, err := s.Policies.Licenses(ctx, found.ID)
			return PolicyGetResult{Policy: view.OfLicensePolicy(found), LicenseCount: count}, err
		},
	})
}
