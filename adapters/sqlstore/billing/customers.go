package billing

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Customers returns the repository of customers.
func Customers(tx *sqlstore.Tx) commerce.Customers { return customers{tx} }

type customers struct{ tx *sqlstore.Tx }

const customerColumns = `id, org_id, processor, mode, user_id, buyer_org_id, processor_id, name, email, address, tax_id, created_at, version`

type customerRow struct {
	ID          billing.CustomerID `db:"id"`
	OrgID       workspace.ID       `db:"org_id"`
	Processor   product.Processor  `db:"processor"`
	Mode        billing.Mode       `db:"mode"`
	UserID      sql.NullString     `db:"user_id"`
	BuyerOrgID  sql.NullString     `db:"buyer_org_id"`
	ProcessorID string             `db:"processor_id"`
	Name        string             `db:"name"`
	Email       string             `db:"email"`
	Address     string             `db:"address"`
	TaxID       string             `db:"tax_id"`
	CreatedAt   sqlstore.Instant   `db:"created_at"`
	Version     int64              `db:"version"`
}

func (r *customerRow) snapshot(store *sqlstore.Store) (billing.CustomerSnapshot, error) {
	open := store.RowOpener("customers", r.ID.String())
	s := billing.CustomerSnapshot{
		ID: r.ID, OrgID: r.OrgID, Account: billing.Account{Processor: r.Processor, Mode: r.Mode},
		Buyer:       billing.Buyer{UserID: user.ID(r.UserID.String), OrgID: workspace.ID(r.BuyerOrgID.String)},
		ProcessorID: r.ProcessorID, Name: open.Value("name", r.Name), Email: open.Value("email", r.Email),
		TaxID: open.Value("tax_id", r.TaxID), CreatedAt: r.CreatedAt.Time,
	}
	address := open.Value("address", r.Address)
	if open.Err != nil || address == "" {
		return s, sqlstore.Wrap("open a customer", open.Err)
	}
	return s, sqlstore.Wrap("decode a customer", json.Unmarshal([]byte(address), &s.Address))
}

func (r *customerRow) restore(store *sqlstore.Store) (*billing.Customer, error) {
	s, err := r.snapshot(store)
	return billing.RestoreCustomer(s, r.Version), err
}

// ByID reads one customer under a lock of its row. It fails with billing.ErrNoCustomer.
func (r customers) ByID(ctx context.Context, id billing.CustomerID) (*billing.Customer, error) {
	row, err := one[customerRow](ctx, r.tx.Queries, billing.ErrNoCustomer, `SELECT `+customerColumns+` FROM customers WHERE id = ? {for update}`, id.String())
	if err != nil {
		return nil, err
	}
	return row.restore(r.tx.Store())
}

// buyerKey returns the id of a buyer, a user or a workspace.
func buyerKey(b billing.Buyer) string { return b.UserID.String() + b.OrgID.String() }

// OfBuyer reads the customer of a buyer under a lock of its row. It fails with billing.ErrNoCustomer.
func (r customers) OfBuyer(ctx context.Context, org workspace.ID, at billing.Account, buyer billing.Buyer) (*billing.Customer, error) {
	row, err := one[customerRow](ctx, r.tx.Queries, billing.ErrNoCustomer, `SELECT `+customerColumns+
		` FROM customers WHERE org_id = ? AND processor = ? AND mode = ? AND buyer = ? {for update}`,
		org.String(), string(at.Processor), string(at.Mode), buyerKey(buyer))
	if err != nil {
		return nil, err
	}
	return row.restore(r.tx.Store())
}

// Save stores a customer.
func (r customers) Save(ctx context.Context, c *billing.Customer) error {
	s := c.Snapshot()
	seal := r.tx.Store().RowSealer("customers", s.ID.String())
	address, err := json.Marshal(s.Address)
	if err != nil {
		return fmt.Errorf("encode the address of a customer: %w", err)
	}
	return r.tx.Save(ctx, "customers", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"processor", string(s.Account.Processor)},
		{"mode", string(s.Account.Mode)},
		{"buyer", buyerKey(s.Buyer)},
		{"user_id", sqlstore.Optional(s.Buyer.UserID.String())},
		{"buyer_org_id", sqlstore.Optional(s.Buyer.OrgID.String())},
		{"processor_id", s.ProcessorID},
		{"name", seal("name", s.Name)},
		{"email", seal("email", s.Email)},
		{"email_index", r.tx.Store().EmailIndex(email.Restore(s.Email))},
		{"address", seal("address", string(address))},
		{"tax_id", seal("tax_id", s.TaxID)},
		{"created_at", sqlstore.At(s.CreatedAt)},
	}, c)
}
