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
	// ByID returns an app. It fails with app.ErrNotFound.
	ByID(ctx context.Context, id app.ID) (*app.App, error)
	// Save stores an app. It permanently assigns the slug of a new app to its
	// workspace, and fails with app.ErrSlugTaken if it is assigned to another as a slug
	// or an audience. It does not change RevokedBefore.
	Save(ctx context.Context, a *app.App) error
	// Delete deletes an app. It fails with aggregate.ErrConflict if the app was changed
	// since it was read.
	Delete(ctx context.Context, a *app.App) error
}

// AppDirectory reads apps, outside any transaction.
type AppDirectory interface {
	// List returns the apps that match, newest first.
	List(ctx context.Context, query AppQuery) ([]app.Snapshot, error)
	// Find returns an app by ID or slug. It fails with app.ErrNotFound, also if the app
	// belongs to another workspace than org. The empty workspace matches any.
	Find(ctx context.Context, org workspace.ID, by AppKey) (app.Snapshot, error)
	// NeedIDTokens reports whether there are apps for login whose ID tokens are signed
	// with an algorithm.
	NeedIDTokens(ctx context.Context, by signingkey.Algorithm) (bool, error)
	// SecretUses returns the times when secrets were last used; unused ones are
	// omitted.
	SecretUses(ctx context.Context, secrets []app.SecretID) (map[app.SecretID]time.Time, error)
}

// AppQuery narrows a list of apps; zero values do not narrow.
type AppQuery struct {
	Org  workspace.ID
	Type app.Type
	// Vouched selects apps to which a superadmin granted scopes.
	Vouched bool
	// Text is a prefix of the name or slug, case-insensitive.
	Text string
	// Before is the last ID of the previous page.
	Before app.ID
	Limit  int
}

// AppKey identifies an app; exactly one field is set.
type AppKey struct {
	ID   app.ID
	Slug string
}
