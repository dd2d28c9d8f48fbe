package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// PolicyDeleteResult is the result of LICENSE.POLICY_DELETE.
type PolicyDeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) policyDelete() command.Definition {
	return command.Define(command.Spec[PolicyParams, PolicyDeleteResult]{
		Name:        "LICENSE.POLICY_DELETE",
		Summary:     "Delete a license policy.",
		Description: "A policy that a license or a product uses cannot be deleted.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindPolicyDeleted},
		Handle: func(ctx context.Context, call command.Call, p PolicyParams) (PolicyDeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				gone, err := tx.Policies.ByID(ctx, p.PolicyID)
				if err != nil {
					return err
				}
				if !call.Caller.Sees(gone.Snapshot().OrgID) {
					return license.ErrNoPolicy
				}
				gone.Delete()
				return tx.Policies.Delete(ctx, gone)
			})
			if err != nil {
				return PolicyDeleteResult{}, err
			}
			return PolicyDeleteResult{Deleted: true}, nil
		},
	})
}
