package licenses

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of an issue.
var (
	errOtherPolicy = fault.Unfit("/policy_id", "must be a license policy for this product")
	errArchived    = fault.Unfit("/product_id", "is archived, so no more licenses can be issued for it")
)

// IssueParams are the parameters of LICENSE.ISSUE.
type IssueParams struct {
	ProductID    product.Ref      `json:"product_id" doc:"ID or slug of the product."`
	UserID       user.ID          `json:"user_id,omitzero" doc:"Account that owns the license. It can belong to any workspace. Omit to issue the license to nobody." example:"-"`
	OwnerOrgID   workspace.ID     `json:"owner_org_id,omitzero" doc:"Workspace that owns the license, instead of an account." example:"-"`
	PolicyID     product.PolicyID `json:"policy_id,omitzero" doc:"License policy that sets the terms. Defaults to the policy of the product, if it has one." example:"-"`
	Features     feature.Values   `json:"features,omitzero" doc:"Feature values that the license grants. Overrides the policy." example:"-"`
	Seats        *int             `json:"seats,omitzero" doc:"Maximum number of seats. Use 0 for unlimited. Overrides the policy." jsonschema:"minimum=0,maximum=1000000,example=5"`
	ExpiresAt    *time.Time       `json:"expires_at,omitzero" doc:"Time at which the license expires. Overrides the policy." example:"-"`
	MachineBound *bool            `json:"machine_bound,omitzero" doc:"Whether the license is valid only on activated machines. Overrides the policy."`
	MaxMachines  *int             `json:"max_machines,omitzero" doc:"Maximum number of machines active at once. Use 0 for unlimited. Overrides the policy." jsonschema:"minimum=0,maximum=100000,example=3"`
	OfflineDays  *int             `json:"offline_days,omitzero" doc:"Days an offline license file stays valid. Use 0 to disallow offline files. Overrides the policy." jsonschema:"minimum=0,maximum=730,example=14"`
}

// IssueResult is the result of LICENSE.ISSUE.
type IssueResult struct {
	License view.License `json:"license" doc:"The issued license."`
	Key     secret.Shown `json:"key" doc:"License key. Returned only once, unless ENCRYPTION_KEY is set: then LICENSE.GET returns it too."`
}

func (s *Service) issue() command.Definition {
	return command.Define(command.Spec[IssueParams, IssueResult]{
		Name:    "LICENSE.ISSUE",
		Summary: "Issue a license for a product.",
		Description: "Issues a license for a product of your workspace and returns its key.\n" +
			"The owner can be any account or any workspace on the instance, or nobody.\n\n" +
			"The license keeps its own copy of the policy's terms. Terms you set here stay when the policy changes.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{license.KindIssued},
		Handle: func(ctx context.Context, call command.Call, p IssueParams) (result IssueResult, err error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return result, err
			}
			draft := license.Draft{
				ID: license.NewID(s.IDs), OrgID: org, Owner: license.Owner{UserID: p.UserID, OrgID: p.OwnerOrgID}, PolicyID: p.PolicyID,
				Own: license.OwnTerms{
					Features: p.Features, Seats: p.Seats, MaxMachines: p.MaxMachines, OfflineDays: p.OfflineDays,
					MachineBound: p.MachineBound, ExpiresAt: p.ExpiresAt,
				},
			}
			key := license.NewKey(s.Random)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				made, err := s.issued(ctx, tx, draft, p.ProductID)
				if err != nil {
					return err
				}
				result.License = view.OfLicense(made.Snapshot(), s.now())
				canonical, _ := license.ReadKey(string(key))
				return tx.Licenses.AddKey(ctx, draft.ID, canonical)
			})
			result.Key = key
			return result, err
		},
	})
}

// issued makes and stores a license of a draft without product and terms.
func (s *Service) issued(ctx context.Context, tx Repos, draft license.Draft, ref product.Ref) (*license.License, error) {
	of, err := tx.Products.ByRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	sold := of.Snapshot()
	switch {
	case sold.OrgID != draft.OrgID:
		return nil, product.ErrNotFound
	case sold.Archived:
		return nil, errArchived
	case draft.PolicyID == "":
		draft.PolicyID = sold.PolicyID
	}
	draft.ProductID = sold.ID
	if draft.Terms, err = termsOf(ctx, tx, draft); err != nil {
		return nil, err
	}
	made, err := license.Issue(draft, s.now())
	if err != nil {
		return nil, err
	}
	if err := belongs(ctx, tx, draft.Owner); err != nil {
		return nil, err
	}
	return made, tx.Licenses.Save(ctx, made)
}

// termsOf returns the terms that a license is issued from.
func termsOf(ctx context.Context, tx Repos, draft license.Draft) (license.Terms, error) {
	if draft.PolicyID == "" {
		return license.Plain(), nil
	}
	s, err := tx.Policies.Terms(ctx, draft.PolicyID)
	switch {
	case err != nil:
		return license.Terms{}, err
	case s.OrgID != draft.OrgID:
		return license.Terms{}, license.ErrNoPolicy
	case s.ProductID != "" && s.ProductID != draft.ProductID:
		return license.Terms{}, errOtherPolicy
	}
	return s.Terms, nil
}
