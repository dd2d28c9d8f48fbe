package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

func (s *Service) policyCreate() command.Definition {
	return command.Define(command.Spec[PolicyCreateParams, PolicyResult]{
		Name:    "LICENSE.POLICY_CREATE",
		Summary: "Create a license policy.",
		Description: "A policy holds the terms that licenses are issued from. Each license keeps its own copy of the terms.\n" +
			"A workspace has at most 1,000 policies.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{license.KindPolicyCreated},
		Handle: func(ctx context.Context, call command.Call, p PolicyCreateParams) (result PolicyResult, err error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return result, err
			}
			id := product.NewPolicyID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				count, err := tx.Policies.Count(ctx, org)
				if err != nil {
					return err
				}
				if count >= license.MostPolicies {
					return license.ErrPolicies
				}
				of, err := sold(ctx, tx, org, p.ProductID)
				if err != nil {
					return err
				}
				made, err := license.Draw(license.PolicySnapshot{ID: id, OrgID: org, ProductID: of, Name: p.Name, Terms: p.terms()}, s.now())
				if err != nil {
					return err
				}
				result.Policy = view.OfLicensePolicy(made.Snapshot())
				return tx.Policies.Save(ctx, made)
			})
			return result, err
		},
	})
}

// sold returns the identifier of a product of a workspace; "" for no reference. It fails
// with product.ErrNotFound.
func sold(ctx context.Context, tx Repos, org workspace.ID, ref product.Ref) (product.ID, error) {
	if ref == "" {
		return "", nil
	}
	found, err := tx.Products.ByRef(ctx, ref)
	if err != nil {
		return "", err
	}
	s := found.Snapshot()
	if s.OrgID != org {
		return "", product.ErrNotFound
	}
	return s.ID, nil
}
