package people

import (
	"context"

	"gatehouse.internal/domain/user"
)

// Merges moves what has many rows from one account to another, inside a unit of work.
// Each returns how many there were.
type Merges interface {
	// Keys moves all API keys, whether they have ended or not.
	Keys(ctx context.Context, from, to user.ID) (int, error)
	// Licences moves licences and named seats of them; of two seats of one licence, the
	// source's is free. It returns how many licences there were.
	Licences(ctx context.Context, from, to user.ID) (int, error)
	// Customers moves all that was bought, and returns as how many customers.
	Customers(ctx context.Context, from, to user.ID) (int, error)
	// Relations moves relation tuples, in all workspaces. Of two that become one, the one
	// that lasts longer stays, where they hold alike; else that of the account moved to.
	Relations(ctx context.Context, from, to user.ID) (int, error)
	// Invitations makes one account the sender of all that the other sent and that are open.
	Invitations(ctx context.Context, from, to user.ID) (int, error)
	// Notices moves security notices, whether they were read or not.
	Notices(ctx context.Context, from, to user.ID) (int, error)
}
