package mailing

import (
	"context"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
)

// Suppressions stores suppressed addresses, inside a unit of work.
type Suppressions interface {
	// Find returns the entry of an address; false if there is none.
	Find(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
	// Add stores an entry and reports true, unless the address has one.
	Add(ctx context.Context, s mail.Suppression) (bool, error)
	// Change changes the reason of an entry.
	Change(ctx context.Context, id string, to mail.Reason) error
	// Remove deletes and returns the entry of an address; false if there is none.
	Remove(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
}

// SuppressionDirectory reads suppressed addresses, outside any transaction.
type SuppressionDirectory interface {
	// List returns the entries that match, newest first.
	List(ctx context.Context, query SuppressionQuery) ([]mail.Suppression, error)
}

// SuppressionQuery narrows a list of suppressions; zero values do not narrow.
type SuppressionQuery struct {
	Email email.Address
	// Before is the last ID of the previous page.
	Before string
	Limit  int
}
