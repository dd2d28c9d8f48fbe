package mailing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
)

const suppressionColumns = `id, email, reason, created_at`

// suppressionRow is a suppressed address as it is stored; the address is sealed.
type suppressionRow struct {
	ID        string           `db:"id"`
	Email     string           `db:"email"`
	Reason    mail.Reason      `db:"reason"`
	CreatedAt sqlstore.Instant `db:"created_at"`
}

// Suppressions returns the repository of suppressed addresses, to which no mail is sent.
func Suppressions(tx *sqlstore.Tx) mailing.Suppressions { return suppressions{tx} }

type suppressions struct{ tx *sqlstore.Tx }

// Find returns the entry of an address in any spelling, and reports whether there is one.
func (r suppressions) Find(ctx context.Context, address email.Address) (mail.Suppression, bool, error) {
	return r.one(ctx, "look for a suppression", `SELECT `+suppressionColumns+` FROM suppressions WHERE email_index = ?`, address)
}

// Remove deletes the entry of an address and returns it, and reports whether there was one.
func (r suppressions) Remove(ctx context.Context, address email.Address) (mail.Suppression, bool, error) {
	return r.one(ctx, "remove a suppression", `DELETE FROM suppressions WHERE email_index = ? RETURNING `+suppressionColumns, address)
}

func (r suppressions) one(ctx context.Context, what, statement string, address email.Address) (mail.Suppression, bool, error) {
	var found []suppressionRow
	if err := r.tx.List(ctx, &found, statement, r.tx.Store().EmailIndex(address)); err != nil {
		return mail.Suppression{}, false, fmt.Errorf("%s: %w", what, err)
	}
	if len(found) == 0 {
		return mail.Suppression{}, false, nil
	}
	opened, err := suppression(r.tx.Store(), &found[0])
	return opened, err == nil, err
}

func suppression(store *sqlstore.Store, r *suppressionRow) (mail.Suppression, error) {
	address, err := store.Personal().Open(r.Email, sqlstore.Place("suppressions", "email", r.ID))
	if err != nil {
		return mail.Suppression{}, fmt.Errorf("open the suppression %s: %w", r.ID, err)
	}
	return mail.Suppression{ID: r.ID, Email: email.Restore(address), Reason: r.Reason, CreatedAt: r.CreatedAt.Time}, nil
}

// Add stores an entry, and reports whether the address had none.
func (r suppressions) Add(ctx context.Context, s mail.Suppression) (bool, error) {
	n, err := r.tx.Exec(ctx, `
		INSERT INTO suppressions (id, email, email_index, reason, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		s.ID, r.tx.Store().Personal().Seal(s.Email.String(), sqlstore.Place("suppressions", "email", s.ID)),
		r.tx.Store().EmailIndex(s.Email), string(s.Reason), sqlstore.At(s.CreatedAt))
	if err != nil {
		return false, fmt.Errorf("suppress an address: %w", err)
	}
	return n > 0, nil
}

// Change changes the reason of an entry.
func (r suppressions) Change(ctx context.Context, id string, to mail.Reason) error {
	if _, err := r.tx.Exec(ctx, `UPDATE suppressions SET reason = ? WHERE id = ?`, string(to), id); err != nil {
		return fmt.Errorf("change a suppression: %w", err)
	}
	return nil
}

// SuppressionDirectory returns the directory of suppressed addresses.
func SuppressionDirectory(store *sqlstore.Store) mailing.SuppressionDirectory {
	return suppressionDirectory{store}
}

type suppressionDirectory struct{ store *sqlstore.Store }

// List returns entries, newest first.
func (d suppressionDirectory) List(ctx context.Context, query mailing.SuppressionQuery) ([]mail.Suppression, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Email.IsZero(), "email_index = ?", d.store.EmailIndex(query.Email))
	f.Unless(query.Before == "", "id < ?", query.Before)
	var found []suppressionRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+suppressionColumns+" FROM suppressions"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list suppressions: %w", err)
	}
	return sqlstore.Map(found, func(row *suppressionRow) (mail.Suppression, error) { return suppression(d.store, row) })
}
