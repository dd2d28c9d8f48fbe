package billing

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// SubscriptionListParams are the parameters of BILLING.SUBSCRIPTION_LIST.
type SubscriptionListParams struct {
	Status    billing.SubscriptionStatus `json:"status,omitzero" doc:"Filter by status. Omit to list all except incomplete and ended subscriptions." jsonschema:"enum=incomplete,enum=trialing,enum=active,enum=past_due,enum=paused,enum=canceled,enum=ended" example:"-"`
	UserID    user.ID                    `json:"user_id,omitzero" doc:"Filter by a user who bought from the workspace. Requires billing:read in that workspace." example:"-"`
	OrgID     workspace.ID               `json:"org_id,omitzero" doc:"Workspace whose subscriptions to list, as buyer and as seller. Requires billing:read in that workspace. Omit to list your own." example:"-"`
	ProductID product.Ref                `json:"product_id,omitzero" doc:"Filter by product, by ID or slug." example:"-"`
	page.Params
}

func (s *Service) subscriptionList() command.Definition {
	return command.Define(command.Spec[SubscriptionListParams, page.Of[Subscription]]{
		Name:    "BILLING.SUBSCRIPTION_LIST",
		Summary: "List subscriptions, newest first.",
		Description: "Lists your own subscriptions. With `org_id`, lists the subscriptions that workspace bought and sold. With `user_id`, lists the " +
			"subscriptions that user bought from the workspace.\n\n" +
			"Incomplete and ended subscriptions are listed only if you filter by their status.",
		Access:      access.User(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SubscriptionListParams) (page.Of[Subscription], error) {
			query, err := within(call.Caller, p.OrgID, p.UserID)
			if err != nil {
				return page.Of[Subscription]{}, err
			}
			if p.ProductID != "" {
				found, err := s.Products.Find(ctx, p.ProductID)
				if errors.Is(err, product.ErrNotFound) {
					// Of a product that is not shown, the list is as empty.
					return page.Of[Subscription]{Items: []Subscription{}}, nil
				}
				if err != nil {
					return page.Of[Subscription]{}, err
				}
				query.Product = found.ID
			}
			query.Status, query.Current = string(p.Status), p.Status == ""
			scope := fmt.Sprintf("BILLING.SUBSCRIPTION_LIST|%s|%s|%s|%s|%s", call.Caller.User, p.OrgID, p.UserID, query.Product, p.Status)
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.SubscriptionSnapshot) string { return one.ID.String() }, showSubscription,
				func(before string, most int) ([]billing.SubscriptionSnapshot, error) {
					query.Before, query.Limit = before, most
					return s.Sales.Subscriptions(ctx, query)
				})
		},
	})
}
