package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
)

// Templates stores customized templates, inside a unit of work.
type Templates interface {
	// Of returns the overrides of a template, of a workspace and of the instance.
	Of(ctx context.Context, t mail.Template, org workspace.ID) ([]mail.Override, error)
	// Set stores an override. It fails with workspace.ErrNotFound.
	Set(ctx context.Context, o mail.Override) error
	// Reset deletes an override, and reports whether there was one.
	Reset(ctx context.Context, org workspace.ID, t mail.Template, locale string) (bool, error)
}

// TemplateDirectory reads customized templates, outside any transaction.
type TemplateDirectory interface {
	// All returns the overrides of a workspace and of the instance.
	All(ctx context.Context, org workspace.ID) ([]mail.Override, error)
}
