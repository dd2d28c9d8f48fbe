package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// Apps stores apps, inside a unit of work.
type Apps interface {
	// ByID fails with app.ErrNotFound.
	ByID(ctx context.Context, id app.ID) (*app.App, error)
	// Save claims the slug of a new app for its workspace, for good: it fails with
	// app.ErrSlugTaken where another has it, as a slug or as an audience. It leaves
	// RevokedBefore as it is.
	Save(ctx context.Context, a *app.App) error
	// Delete removes an app. It fails with aggregate.ErrConflict when the app was
	// changed by somebody else since it was read.
	Delete(ctx context.Context, a *app.App) error
}

// AppDirectory lists and finds apps for reading, outside any
// transaction.
type AppDirectory interface {
	// List returns the apps that match, newest first.
	List(ctx context.Context, query AppQuery) ([]app.Snapshot, error)
	// Find returns one app by id or slug, whichever is set; it fails with
	// app.ErrNotFound, also for an app of another workspace than the one given. The
	// empty workspace is any.
	Find(ctx context.Context, org workspace.ID, by AppKey) (app.Snapshot, error)
	// NeedIDTokens reports whether people log in to apps whose ID tokens are signed by an
	// algorithm.
	NeedIDTokens(ctx context.Context, by signingkey.Algorithm) (bool, error)
	// SecretUses returns when secrets were used last; those that never were are absent.
	SecretUses(ctx context.Context, secrets []app.SecretID) (map[app.SecretID]time.Time, error)
}

// AppQuery narrows a list of apps; zero values do not narrow.
type AppQuery struct {
	Org  workspace.ID
	Type app.Type
	// Vouched narrows to apps that a superadmin granted scopes.
	Vouched bool
	// Text matches the beginning of the name or slug, without case.
	Text string
	// Before is the last id of the page before.
	Before app.ID
	Limit  int
}

// AppKey names one app; exactly one field is set.
type AppKey struct {
	ID   app.ID
	Slug string
}
