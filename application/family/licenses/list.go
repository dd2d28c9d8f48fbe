package licenses

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/licensing"
)

// ListParams are the parameters of LICENSE.LIST.
type ListParams struct {
	ProductID     product.Ref    `json:"product_id,omitzero" doc:"Only licenses for this product, given by ID or slug." example:"-"`
	UserID        user.ID        `json:"user_id,omitzero" doc:"Only licenses owned by this account." example:"-"`
	Status        license.Status `json:"status,omitzero" doc:"Only licenses with this status." jsonschema:"enum=active,enum=suspended,enum=expired,enum=revoked" example:"-"`
	ExpiresBefore time.Time      `json:"expires_before,omitzero" doc:"Only licenses that expire before this time." example:"-"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[view.License]]{
		Name:    "LICENSE.LIST",
		Summary: "List licenses, newest first.",
		Description: "The list contains the licenses you own. With `licenses:read`, it also contains the licenses that the workspace issued or " +
			"owns.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[view.License], error) {
			query, err := s.query(ctx, call.Caller, p)
			if err != nil {
				return page.Of[view.License]{}, err
			}
			scope := fmt.Sprintf("LICENSE.LIST|%s|%s|%s|%s|%s|%s|%d",
				query.Issuer, query.Owned.UserID, query.Owned.OrgID, query.Product, query.User, query.Status, p.ExpiresBefore.UnixMicro())
			return page.Read(s.Cursors.List(scope, p.Params), func(one license.Snapshot) string { return one.ID.String() },
				func(one license.Snapshot) view.License { return s.shown(call.Caller, one) },
				func(before string, most int) ([]license.Snapshot, error) {
					query.Before, query.Limit = license.ID(before), most
					return s.Licenses.List(ctx, query)
				})
		},
	})
}

func (s *Service) query(ctx context.Context, caller access.Caller, p ListParams) (licensing.LicenseQuery, error) {
	query := licensing.LicenseQuery{User: p.UserID, Status: p.Status, ExpiresBefore: p.ExpiresBefore, Now: s.now()}
	query.Owned.UserID = caller.User
	if caller.May(reading) {
		query.Issuer, query.Owned.OrgID = caller.Org, caller.Org
	}
	if p.ProductID == "" {
		return query, nil
	}
	var err error
	query.Product, err = s.product(ctx, caller, p.ProductID)
	return query, err
}
