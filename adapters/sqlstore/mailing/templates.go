package mailing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/mailing"
)

const templateColumns = `org_id, template, locale, subject, html, text, updated_at`

type templateRow struct {
	OrgID     workspace.ID     `db:"org_id"`
	Template  mail.Template    `db:"template"`
	Locale    string           `db:"locale"`
	Subject   string           `db:"subject"`
	HTML      string           `db:"html"`
	Text      string           `db:"text"`
	UpdatedAt sqlstore.Instant `db:"updated_at"`
}

func overrides(found []templateRow) []mail.Override {
	all := make([]mail.Override, len(found))
	for i, r := range found {
		all[i] = mail.Override{
			Org: r.OrgID, Template: r.Template, Locale: r.Locale,
			Source: mail.Source{Subject: r.Subject, HTML: r.HTML, Text: r.Text}, UpdatedAt: r.UpdatedAt.Time,
		}
	}
	return all
}

// Templates returns the repository of mail templates that override the built-in ones.
func Templates(tx *sqlstore.Tx) mailing.Templates { return mailTemplates{tx} }

type mailTemplates struct{ tx *sqlstore.Tx }

// Of returns the overrides of a template by the instance and by a workspace.
func (r mailTemplates) Of(ctx context.Context, t mail.Template, org workspace.ID) ([]mail.Override, error) {
	var found []templateRow
	err := r.tx.List(ctx, &found, `SELECT `+templateColumns+` FROM email_templates WHERE org_id IN ('', ?) AND template = ?`, org.String(), string(t))
	if err != nil {
		return nil, fmt.Errorf("read a mail template: %w", err)
	}
	return overrides(found), nil
}

// Set stores an override, and replaces an earlier one.
func (r mailTemplates) Set(ctx context.Context, o mail.Override) error {
	if err := workspaces.HoldWorkspace(ctx, r.tx, o.Org); err != nil {
		return err
	}
	_, err := r.tx.Exec(ctx, `
		INSERT INTO email_templates (`+templateColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (org_id, template, locale) DO UPDATE SET
			subject = excluded.subject, html = excluded.html, text = excluded.text, updated_at = excluded.updated_at`,
		o.Org.String(), string(o.Template), o.Locale, o.Source.Subject, o.Source.HTML, o.Source.Text, sqlstore.At(o.UpdatedAt))
	if err != nil {
		return fmt.Errorf("set a mail template: %w", err)
	}
	return nil
}

// Reset deletes an override, and reports whether there was one.
func (r mailTemplates) Reset(ctx context.Context, org workspace.ID, t mail.Template, locale string) (bool, error) {
	n, err := r.tx.Exec(ctx, `DELETE FROM email_templates WHERE org_id = ? AND template = ? AND locale = ?`, org.String(), string(t), locale)
	if err != nil {
		return false, fmt.Errorf("reset a mail template: %w", err)
	}
	return n > 0, nil
}

// TemplateDirectory returns the directory of mail templates that override the built-in ones.
func TemplateDirectory(store *sqlstore.Store) mailing.TemplateDirectory {
	return mailTemplateDirectory{store}
}

type mailTemplateDirectory struct{ store *sqlstore.Store }

// All returns the overrides of a workspace and of the instance.
func (d mailTemplateDirectory) All(ctx context.Context, org workspace.ID) ([]mail.Override, error) {
	var found []templateRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+templateColumns+` FROM email_templates
		WHERE org_id IN ('', ?) ORDER BY template, org_id, locale`, org.String())
	if err != nil {
		return nil, fmt.Errorf("read mail templates: %w", err)
	}
	return overrides(found), nil
}
