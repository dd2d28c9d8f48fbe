package mailing

import (
	"context"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
)

// Suppressions stores the addresses that get no mail, inside a unit of work.
type Suppressions interface {
	// Find returns the entry of an address; false when there is none.
	Find(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
	// Add stores an entry, unless the address has one, and reports whether it did.
	Add(ctx context.Context, s mail.Suppression) (bool, error)
	// Change sets another reason.
	Change(ctx context.Context, id string, to mail.Reason) error
	// Remove drops the entry of an address, and returns it; false when there was none.
	Remove(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
}

// SuppressionDirectory lists the addresses that get no mail, outside any transaction.
type SuppressionDirectory interface {
	// List returns the entries that match, newest first.
	List(ctx context.Context, query SuppressionQuery) ([]mail.Suppression, error)
}

// SuppressionQuery narrows a list of suppressions; zero values do not narrow.
type SuppressionQuery struct {
	Email email.Address
	// Before is the last id of the page before.
	Before string
	Limit  int
}
