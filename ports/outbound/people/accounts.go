package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Accounts looks accounts up for a login, outside any transaction.
type Accounts interface {
	// ForLogin finds an account by its folded address in one round trip; false
	// when there is none.
	ForLogin(ctx context.Context, address email.Address) (LoginAccount, bool, error)
	// Memberships lists the workspaces of a user, the personal one first.
	Memberships(ctx context.Context, person user.ID) ([]Membership, error)
	// Standing returns what somebody holds in a workspace, in one round trip. What does not exist
	// is left out.
	Standing(ctx context.Context, person user.ID, org workspace.ID) (Standing, error)
}

// Standing is what is known of a caller besides what a credential tells.
type Standing struct {
	HasPassword bool
	// Workspace is the name of the workspace.
	Workspace string
}

// LoginAccount is what a login needs to know before it verifies the password.
type LoginAccount struct {
	UserID user.ID
	Hash   string
	// Forms are those of all hashes in the store (password.Form), also where there is no
	// account.
	Forms []string
}

// Membership is one workspace of a user.
type Membership struct {
	Org      workspace.Snapshot
	Grants   []workspace.Grant
	JoinedAt time.Time
}
