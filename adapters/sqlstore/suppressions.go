package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
)

const suppressionColumns = `id, email, reason, created_at`

// suppressionRow is an address that gets no mail, as it is stored; it is sealed.
type suppressionRow struct {
	ID        string      `db:"id"`
	Email     string      `db:"email"`
	Reason    mail.Reason `db:"reason"`
	CreatedAt instant     `db:"created_at"`
}

// Suppressions gives the addresses that get no mail.
func (t *Tx) Suppressions() outbound.Suppressions { return suppressions{t} }

type suppressions struct{ tx *Tx }

// Find gives the entry of an address, however that is spelt.
func (r suppressions) Find(ctx context.Context, address email.Address) (mail.Suppression, bool, error) {
	return r.one(ctx, "look for a suppression", `SELECT `+suppressionColumns+` FROM suppressions WHERE email_index = ?`, address)
}

// Remove drops the entry of an address.
func (r suppressions) Remove(ctx context.Context, address email.Address) (mail.Suppression, bool, error) {
	return r.one(ctx, "remove a suppression", `DELETE FROM suppressions WHERE email_index = ? RETURNING `+suppressionColumns, address)
}

func (r suppressions) one(ctx context.Context, what, statement string, address email.Address) (mail.Suppression, bool, error) {
	var found []suppressionRow
	if err := r.tx.q.list(ctx, &found, statement, r.tx.store.emailIndex(address)); err != nil {
		return mail.Suppression{}, false, fmt.Errorf("%s: %w", what, err)
	}
	if len(found) == 0 {
		return mail.Suppression{}, false, nil
	}
	opened, err := r.tx.store.suppression(&found[0])
	return opened, err == nil, err
}

func (s *Store) suppression(r *suppressionRow) (mail.Suppression, error) {
	address, err := s.personal.Open(r.Email, place("suppressions", "email", r.ID))
	if err != nil {
		return mail.Suppression{}, fmt.Errorf("open the suppression %s: %w", r.ID, err)
	}
	return mail.Suppression{ID: r.ID, Email: email.Restore(address), Reason: r.Reason, CreatedAt: r.CreatedAt.Time}, nil
}

// Add stores an entry, unless the address has one.
func (r suppressions) Add(ctx context.Context, s mail.Suppression) (bool, error) {
	n, err := r.tx.q.exec(ctx, `
		INSERT INTO suppressions (id, email, email_index, reason, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		s.ID, r.tx.store.personal.Seal(s.Email.String(), place("suppressions", "email", s.ID)),
		r.tx.store.emailIndex(s.Email), string(s.Reason), at(s.CreatedAt))
	if err != nil {
		return false, fmt.Errorf("suppress an address: %w", err)
	}
	return n > 0, nil
}

// Change gives an entry another reason.
func (r suppressions) Change(ctx context.Context, id string, to mail.Reason) error {
	if _, err := r.tx.q.exec(ctx, `UPDATE suppressions SET reason = ? WHERE id = ?`, string(to), id); err != nil {
		return fmt.Errorf("change a suppression: %w", err)
	}
	return nil
}

// SuppressionDirectory lists the addresses that get no mail.
func (s *Store) SuppressionDirectory() outbound.SuppressionDirectory { return suppressionDirectory{s} }

type suppressionDirectory struct{ store *Store }

// List gives entries, newest first.
func (d suppressionDirectory) List(ctx context.Context, query outbound.SuppressionQuery) ([]mail.Suppression, error) {
	f := &filter{}
	f.unless(query.Email.IsZero(), "email_index = ?", d.store.emailIndex(query.Email))
	f.unless(query.Before == "", "id < ?", query.Before)
	var found []suppressionRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+suppressionColumns+" FROM suppressions"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list suppressions: %w", err)
	}
	listed := make([]mail.Suppression, len(found))
	for i := range found {
		if listed[i], err = d.store.suppression(&found[i]); err != nil {
			return nil, err
		}
	}
	return listed, nil
}
