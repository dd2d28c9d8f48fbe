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
	errOtherPolicy = fault.Unfit("/policy_id", "is for another product")
	errArchived    = fault.Unfit("/product_id", "is archived: licenses for it are issued no more")
)

// IssueParams are the parameters of LICENSE.ISSUE.
type IssueParams struct {
	ProductID    product.Ref      `json:"product_id" doc:"The product, by its identifier or slug."`
	UserID       user.ID          `json:"user_id,omitzero" doc:"The person whose it is to be, of whichever workspace; absent: nobody's." example:"-"`
	OwnerOrgID   workspace.ID     `json:"owner_org_id,omitzero" doc:"The workspace whose it is to be, in place of a person." example:"-"`
	PolicyID     product.PolicyID `json:"policy_id,omitzero" doc:"The policy that its terms are from; absent: that of the product, if it names one." example:"-"`
	Features     feature.Values   `json:"features,omitzero" doc:"What it gives, in place of what the policy says." example:"-"`
	Seats        *int             `json:"seats,omitzero" doc:"Seats that may be taken, 0 for any number, in place of what the policy says." jsonschema:"minimum=0,maximum=1000000,example=5"`
	ExpiresAt    *time.Time       `json:"expires_at,omitzero" doc:"When its days are over, in place of what the policy says." example:"-"`
	MachineBound *bool            `json:"machine_bound,omitzero" doc:"Whether it is valid on activated machines alone, in place of what the policy says."`
	MaxMachines  *int             `json:"max_machines,omitzero" doc:"Machines that may be active at once, 0 for any number, in place of what the policy says." jsonschema:"minimum=0,maximum=100000,example=3"`
	OfflineDays  *int             `json:"offline_days,omitzero" doc:"Days that a license file holds, 0 for none, in place of what the policy says." jsonschema:"minimum=0,maximum=730,example=14"`
}

// IssueResult is the result of LICENSE.ISSUE.
type IssueResult struct {
	License view.License `json:"license" doc:"The license."`
	Key     secret.Shown `json:"key" doc:"Its key, which is shown this once, unless ENCRYPTION_KEY is set: LICENSE.GET shows it then."`
}

func (s *Service) issue() command.Definition {
	return command.Define(command.Spec[IssueParams, IssueResult]{
		Name:    "LICENSE.ISSUE",
		Summary: "Issue a license for a product of the workspace, with a key, to anybody on the instance or to nobody.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindIssued},
		Handle: func(ctx context.Context, call command.Call, p IssueParams) (result IssueResult, err error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return result, err
			}
			draft := license.Draft{
				ID: license.NewID(s.IDs), OrgID: org, Owner: license.Owner{UserID: p.UserID, OrgID: p.OwnerOrgID}, PolicyID: p.PolicyID,
				Own: license.Own{
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
