package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Accounts reads accounts for a login, outside any transaction.
type Accounts interface {
	// ForLogin returns an account by its folded address in one round trip; false if
	// there is none.
	ForLogin(ctx context.Context, address email.Address) (LoginAccount, bool, error)
	// Memberships returns the workspaces of a user, the personal one first.
	Memberships(ctx context.Context, person user.ID) ([]Membership, error)
	// Standing returns the person's roles in a workspace, in one round trip. Values
	// that do not exist are left empty.
	Standing(ctx context.Context, person user.ID, org workspace.ID) (CallerDetails, error)
}

// CallerDetails is what is known of a caller in addition to the credential.
type CallerDetails struct {
	HasPassword bool
	// Workspace is the name of the workspace.
	Workspace string
}

// LoginAccount is what a login needs before the password is verified.
type LoginAccount struct {
	UserID user.ID
	Hash   string
	// Forms are the forms of all hashes in the store (password.Form), also if there is
	// no account.
	Forms []string
}

// Membership is a workspace of a user.
type Membership struct {
	Org      workspace.Snapshot
	Grants   []workspace.Grant
	JoinedAt time.Time
}
