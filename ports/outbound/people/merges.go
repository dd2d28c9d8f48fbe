package people

import (
	"context"

	"gatehouse.internal/domain/user"
)

// Merges moves data from one account to another, inside a unit of work. Each method
// returns the number of moved objects.
type Merges interface {
	// Keys moves all API keys, including those that have ended.
	Keys(ctx context.Context, from, to user.ID) (int, error)
	// Licenses moves licenses and named seats. Of two seats of one license, the
	// source's is freed. It returns the number of licenses.
	Licenses(ctx context.Context, from, to user.ID) (int, error)
	// Customers moves all purchases, and returns the number of customers.
	Customers(ctx context.Context, from, to user.ID) (int, error)
	// Relations moves relation tuples in all workspaces. Of two that become equal, the
	// one that expires later is kept if their conditions are equal; else that of the
	// target account.
	Relations(ctx context.Context, from, to user.ID) (int, error)
	// Invitations makes the target account the sender of the source's open invitations.
	Invitations(ctx context.Context, from, to user.ID) (int, error)
	// Notices moves security notices.
	Notices(ctx context.Context, from, to user.ID) (int, error)
}
