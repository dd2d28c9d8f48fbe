package licensing

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/licensing"
)

// Seats returns the repository of the named seats of licenses.
func Seats(tx *sqlstore.Tx) licensing.Seats { return seats{tx} }

type seats struct{ tx *sqlstore.Tx }

const seatColumns = `id, license_id, user_id, email, assigned_at, version`

type seatRow struct {
	ID         license.SeatID   `db:"id"`
	LicenseID  license.ID       `db:"license_id"`
	UserID     sql.NullString   `db:"user_id"`
	Email      string           `db:"email"`
	AssignedAt sqlstore.Instant `db:"assigned_at"`
	Version    int64            `db:"version"`
}

func (r *seatRow) snapshot(store *sqlstore.Store) (license.SeatSnapshot, error) {
	open := store.RowOpener("license_seats", r.ID.String())
	s := license.SeatSnapshot{
		ID: r.ID, LicenseID: r.LicenseID, UserID: user.ID(r.UserID.String), AssignedAt: r.AssignedAt.Time,
		Holder: license.Holder{Email: email.Restore(open.Value("email", r.Email))},
	}
	if r.Email == "" {
		s.Holder = license.Holder{UserID: s.UserID}
	}
	return s, open.Err
}

// holder returns the value of the column holder: the id of the user, or the digest of the email address.
func holder(store *sqlstore.Store, of license.Holder) string {
	if of.UserID != "" {
		return of.UserID.String()
	}
	return store.EmailIndex(of.Email)
}

// Of reads the seat of a holder. It fails with license.ErrNoSeat.
func (r seats) Of(ctx context.Context, of license.ID, to license.Holder) (*license.Seat, error) {
	var found seatRow
	err := r.tx.One(ctx, &found, license.ErrNoSeat, `SELECT `+seatColumns+` FROM license_seats WHERE license_id = ? AND holder = ?`,
		of.String(), holder(r.tx.Store(), to))
	if err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return license.RestoreSeat(s, found.Version), err
}

// Count counts the seats of a license.
func (r seats) Count(ctx context.Context, of license.ID) (count int, err error) {
	if err := r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM license_seats WHERE license_id = ?`, of.String()); err != nil {
		return 0, fmt.Errorf("count the seats of a license: %w", err)
	}
	return count, nil
}

// Save stores a seat.
func (r seats) Save(ctx context.Context, seat *license.Seat) error {
	s, store := seat.Snapshot(), r.tx.Store()
	return r.tx.Save(ctx, "license_seats", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"license_id", s.LicenseID.String()},
		{"holder", holder(store, s.Holder)},
		{"user_id", sqlstore.Optional(s.UserID.String())},
		{"email", store.RowSealer("license_seats", s.ID.String())("email", s.Holder.Email.String())},
		{"assigned_at", sqlstore.At(s.AssignedAt)},
	}, seat)
}

// Delete removes a seat.
func (r seats) Delete(ctx context.Context, s *license.Seat) error {
	return r.tx.Delete(ctx, "license_seats", sqlstore.Row{{"id", s.Snapshot().ID.String()}}, s)
}

// AdoptSeats moves the seats of an email address to the account to which it was bound. If the account has a
// seat of the same license, that of the address is freed.
func AdoptSeats(ctx context.Context, tx *sqlstore.Tx, address email.Address, person user.ID) error {
	return moveSeats(ctx, tx, tx.Store().EmailIndex(address), "", person)
}

// moveSeats moves the seats of a holder, and the seats of email addresses bound to the account from, to the
// account to. A seat of a license of which that account has one is freed.
func moveSeats(ctx context.Context, tx *sqlstore.Tx, holder string, from, to user.ID) error {
	id := to.String()
	for _, change := range []struct {
		text string
		args []any
	}{
		{`DELETE FROM license_seats WHERE holder = ? AND (user_id IS NULL OR user_id = holder) AND license_id IN (SELECT o.license_id FROM license_seats o WHERE o.holder = ?)`, []any{holder, id}},
		{`UPDATE license_seats SET holder = ?, user_id = ?, email = '', version = version + 1 WHERE holder = ? AND (user_id IS NULL OR user_id = holder)`, []any{id, id, holder}},
		{`UPDATE license_seats SET user_id = ?, version = version + 1 WHERE user_id = ?`, []any{id, from.String()}},
	} {
		if _, err := tx.Exec(ctx, change.text, change.args...); err != nil {
			return fmt.Errorf("move seats: %w", err)
		}
	}
	return nil
}

// SeatDirectory returns the directory of named seats.
func SeatDirectory(store *sqlstore.Store) licensing.SeatDirectory { return seatDirectory{store} }

type seatDirectory struct{ store *sqlstore.Store }

// List returns seats, newest first.
func (d seatDirectory) List(ctx context.Context, of license.ID, before license.SeatID, limit int) ([]license.SeatSnapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("license_id = ?", of.String())
	f.Unless(before == "", "id < ?", before.String())
	var found []seatRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+seatColumns+` FROM license_seats`+f.String()+sqlstore.Newest(limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list seats: %w", err)
	}
	return sqlstore.Map(found, func(r *seatRow) (license.SeatSnapshot, error) { return r.snapshot(d.store) })
}
