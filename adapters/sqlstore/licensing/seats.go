package licensing

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/licensing"
)

// Seats returns the named seats of licences.
func Seats(tx *sqlstore.Tx) licensing.Seats { return seats{tx} }

type seats struct{ tx *sqlstore.Tx }

const seatColumns = `id, license_id, user_id, email, assigned_at, version`

type seatRow struct {
	ID         licence.SeatID   `db:"id"`
	LicenceID  licence.ID       `db:"license_id"`
	UserID     sql.NullString   `db:"user_id"`
	Email      string           `db:"email"`
	AssignedAt sqlstore.Instant `db:"assigned_at"`
	Version    int64            `db:"version"`
}

func (r *seatRow) snapshot(store *sqlstore.Store) (licence.SeatSnapshot, error) {
	open := store.RowOpener("license_seats", r.ID.String())
	s := licence.SeatSnapshot{
		ID: r.ID, LicenceID: r.LicenceID, UserID: user.ID(r.UserID.String), AssignedAt: r.AssignedAt.Time,
		Holder: licence.Holder{Email: email.Restore(open.Value("email", r.Email))},
	}
	if r.Email == "" {
		s.Holder = licence.Holder{UserID: s.UserID}
	}
	return s, open.Err
}

// holder is by what a seat is found.
func holder(store *sqlstore.Store, of licence.Holder) string {
	if of.UserID != "" {
		return of.UserID.String()
	}
	return store.EmailIndex(of.Email)
}

// Of reads one seat.
func (r seats) Of(ctx context.Context, of licence.ID, to licence.Holder) (*licence.Seat, error) {
	var found []seatRow
	err := r.tx.List(ctx, &found, `SELECT `+seatColumns+` FROM license_seats WHERE license_id = ? AND holder = ?`,
		of.String(), holder(r.tx.Store(), to))
	if err != nil {
		return nil, fmt.Errorf("read a seat: %w", err)
	}
	if len(found) == 0 {
		return nil, licence.ErrNoSeat
	}
	s, err := found[0].snapshot(r.tx.Store())
	return licence.RestoreSeat(s, found[0].Version), err
}

// Count counts the seats.
func (r seats) Count(ctx context.Context, of licence.ID) (count int, err error) {
	if err := r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM license_seats WHERE license_id = ?`, of.String()); err != nil {
		return 0, fmt.Errorf("count the seats of a licence: %w", err)
	}
	return count, nil
}

// Save stores a seat.
func (r seats) Save(ctx context.Context, seat *licence.Seat) error {
	s, store := seat.Snapshot(), r.tx.Store()
	return r.tx.Save(ctx, "license_seats", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"license_id", s.LicenceID.String()},
		{"holder", holder(store, s.Holder)},
		{"user_id", optional(s.UserID.String())},
		{"email", store.RowSealer("license_seats", s.ID.String())("email", s.Holder.Email.String())},
		{"assigned_at", sqlstore.At(s.AssignedAt)},
	}, seat)
}

// Delete removes a seat.
func (r seats) Delete(ctx context.Context, s *licence.Seat) error {
	return remove(ctx, r.tx, "license_seats", s.Snapshot().ID.String(), s)
}

// remove deletes the row of an aggregate at its version.
func remove(ctx context.Context, tx *sqlstore.Tx, table, id string, one sqlstore.Aggregate) error {
	n, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE id = ? AND version = ?`, id, one.Version())
	if err != nil {
		return fmt.Errorf("delete from %s: %w", table, err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	return tx.RecordOf(ctx, one)
}

// AdoptSeats moves the seats of an address to the account that it was bound to. Where the
// account has a seat of the same licence, that of the address is free.
func AdoptSeats(ctx context.Context, tx *sqlstore.Tx, address email.Address, person user.ID) error {
	return moveSeats(ctx, tx, tx.Store().EmailIndex(address), "", person)
}

// moveSeats moves the seats of a holder to an account, unless that has one of the same
// licence, and those that addresses of another account have.
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

// SeatDirectory reads named seats.
func SeatDirectory(store *sqlstore.Store) licensing.SeatDirectory { return seatDirectory{store} }

type seatDirectory struct{ store *sqlstore.Store }

// List returns seats, newest first.
func (d seatDirectory) List(ctx context.Context, of licence.ID, before licence.SeatID, limit int) ([]licence.SeatSnapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("license_id = ?", of.String())
	f.Unless(before == "", "id < ?", before.String())
	var found []seatRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+seatColumns+` FROM license_seats`+f.String()+sqlstore.Newest(limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list seats: %w", err)
	}
	return sqlstore.Map(found, func(r *seatRow) (licence.SeatSnapshot, error) { return r.snapshot(d.store) })
}
