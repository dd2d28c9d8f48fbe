package billing

import (
	"context"
	"database/sql"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// saleColumns are the columns that all tables of a sale have, but for the key.
const saleColumns = `org_id, product_id, customer_id, user_id, buyer_org_id, processor, mode, processor_id, fact_at, created_at, version`

// saleRow holds the values of saleColumns.
type saleRow struct {
	CheckoutID  billing.CheckoutID `db:"checkout_id"`
	OrgID       workspace.ID       `db:"org_id"`
	ProductID   product.ID         `db:"product_id"`
	CustomerID  billing.CustomerID `db:"customer_id"`
	UserID      sql.NullString     `db:"user_id"`
	BuyerOrgID  sql.NullString     `db:"buyer_org_id"`
	Processor   product.Processor  `db:"processor"`
	Mode        billing.Mode       `db:"mode"`
	ProcessorID sql.NullString     `db:"processor_id"`
	FactAt      sqlstore.Instant   `db:"fact_at"`
	CreatedAt   sqlstore.Instant   `db:"created_at"`
	Version     int64              `db:"version"`
}

func (r *saleRow) sale() billing.Sale {
	return billing.Sale{
		CheckoutID: r.CheckoutID, OrgID: r.OrgID, ProductID: r.ProductID, CustomerID: r.CustomerID,
		Buyer:   billing.Buyer{UserID: user.ID(r.UserID.String), OrgID: workspace.ID(r.BuyerOrgID.String)},
		Account: billing.Account{Processor: r.Processor, Mode: r.Mode},
	}
}

func (r *saleRow) remote() billing.Remote {
	return billing.Remote{ID: r.ProcessorID.String, At: r.FactAt.Time}
}

// saleCells returns the values of saleColumns, but for the identifier at the processor.
func saleCells(s billing.Sale, r billing.Remote, created sqlstore.Instant) sqlstore.Row {
	return sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"product_id", s.ProductID.String()},
		{"customer_id", s.CustomerID.String()},
		{"user_id", sqlstore.Optional(s.Buyer.UserID.String())},
		{"buyer_org_id", sqlstore.Optional(s.Buyer.OrgID.String())},
		{"processor", string(s.Account.Processor)},
		{"mode", string(s.Account.Mode)},
		{"fact_at", sqlstore.At(r.At)},
		{"created_at", created},
	}
}

// one reads the row that a statement selects. It fails with missing if there is none.
func one[R any](ctx context.Context, q *sqlstore.Queries, missing error, statement string, args ...any) (found R, err error) {
	err = q.One(ctx, &found, missing, statement, args...)
	return found, err
}

// whereRemote selects the object with an identifier of a processor; its parameters are remoteArgs.
const whereRemote = ` WHERE processor = ? AND mode = ? AND processor_id = ?`

func remoteArgs(at billing.Account, id string) []any {
	return []any{string(at.Processor), string(at.Mode), id}
}
