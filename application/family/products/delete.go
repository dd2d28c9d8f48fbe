package products

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/product"
)

// DeleteParams are the parameters of PRODUCT.DELETE.
type DeleteParams struct {
	ProductID product.Ref `json:"product_id" doc:"The product, by ID or slug."`
}

// DeleteResult is the result of PRODUCT.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:    "PRODUCT.DELETE",
		Summary: "Delete a product without licenses or sales.",
		Description: "Also deletes the license policies that apply only to this product. The slug is never reused.\n\n" +
			"If the product has licenses or was sold, archive it with PRODUCT.UPDATE instead.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{product.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				gone, err := owned(ctx, tx, call.Caller, p.ProductID)
				if err != nil {
					return err
				}
				gone.Delete()
				return tx.Products.Delete(ctx, gone)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}
