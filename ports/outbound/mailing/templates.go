package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
)

// Templates stores templates that were set, inside a unit of work.
type Templates interface {
	// Of returns those of a template, of a workspace and of the instance.
	Of(ctx context.Context, t mail.Template, org workspace.ID) ([]mail.Override, error)
	// Set fails with workspace.ErrNotFound.
	Set(ctx context.Context, o mail.Override) error
	// Reset drops one, and reports whether there was one.
	Reset(ctx context.Context, org workspace.ID, t mail.Template, locale string) (bool, error)
}

// TemplateDirectory reads templates that were set, outside any transaction.
type TemplateDirectory interface {
	// All returns those of a workspace and of the instance.
	All(ctx context.Context, org workspace.ID) ([]mail.Override, error)
}
