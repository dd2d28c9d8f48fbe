package people

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// failedLooked is how many of the latest failed sign-ins are read for their IP addresses.
const failedLooked = 10_000

// Lockouts returns the directory of accounts that are locked and IP addresses of failed sign-ins.
func Lockouts(store *sqlstore.Store) people.Lockouts { return lockouts{store} }

type lockouts struct{ store *sqlstore.Store }

// Accounts returns a page of the accounts that are locked. It reads a page from both tables, each without the
// accounts that the other one locks for longer.
func (d lockouts) Accounts(ctx context.Context, query people.LockedQuery) ([]people.LockedAccount, error) {
	const (
		latest     = " ORDER BY locked_until DESC, user_id DESC LIMIT ?"
		lastByHash = "NOT EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = l.user_id AND f.locked_until > l.locked_until)"
		lastByCode = "NOT EXISTS (SELECT 1 FROM credentials c WHERE c.user_id = l.user_id AND c.locked_until >= l.locked_until)"
		failed     = "SELECT 1 FROM events e WHERE e.user_id = l.user_id AND e.user_id <> '' AND e.id >= ? AND e.kind IN (?, ?) LIMIT ?"
	)
	f, last, most := &sqlstore.Filter{}, query.Before, sqlstore.AtMost(query.Limit)
	f.Where("l.locked_until IS NOT NULL AND l.locked_until > ?", sqlstore.At(query.Now))
	f.Unless(last.Until.IsZero(), "(l.locked_until, l.user_id) < (?, ?)", sqlstore.At(last.Until), last.UserID.String())
	of := func(table, longest string) string {
		return "SELECT * FROM (SELECT l.user_id, l.locked_until FROM " + table + " l" + f.String() + " AND " + longest + latest + ") AS " + table
	}
	args := []any{event.EarliestID(query.Since).String(), string(loginevent.KindFailed), string(mfa.KindFailed), query.Most}
	for range 2 {
		args = append(append(args, f.Args...), most)
	}
	var found []struct {
		UserID      user.ID          `db:"user_id"`
		LockedUntil sqlstore.Instant `db:"locked_until"`
		Failures    int              `db:"failures"`
	}
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT l.user_id, l.locked_until, (SELECT COUNT(*) FROM ("+failed+") AS counted) AS failures FROM ("+
		of("credentials", lastByHash)+" UNION ALL "+of("second_factors", lastByCode)+latest+
		") AS l ORDER BY l.locked_until DESC, l.user_id DESC", append(args, most)...)
	if err != nil {
		return nil, fmt.Errorf("list locked accounts: %w", err)
	}
	locked := make([]people.LockedAccount, len(found))
	for i, r := range found {
		locked[i] = people.LockedAccount{UserID: r.UserID, Until: r.LockedUntil.Time, Failures: r.Failures}
	}
	return locked, nil
}

// Addresses returns the IP addresses of failed sign-ins since a time.
func (d lockouts) Addresses(ctx context.Context, since time.Time, most int) ([]people.FailedAddress, error) {
	var found []struct {
		ID event.ID `db:"id"`
		IP string   `db:"ip"`
	}
	latest := "SELECT id, ip_index FROM events WHERE " + sqlstore.OfKind(loginevent.KindFailed) + " AND id >= ? AND ip_index <> '' ORDER BY id DESC LIMIT ?"
	err := d.store.Reader(ctx).Search(ctx, &found, `
		SELECT e.id, e.ip FROM (SELECT MAX(id) AS id FROM (`+latest+`) AS latest GROUP BY ip_index) AS last
		JOIN events e ON e.id = last.id ORDER BY e.id DESC LIMIT ?`,
		string(loginevent.KindFailed), event.EarliestID(since).String(), failedLooked, most)
	if err != nil {
		return nil, fmt.Errorf("list the addresses of failed logins: %w", err)
	}
	failed := make([]people.FailedAddress, 0, len(found))
	for _, r := range found {
		open := d.store.RowOpener("events", r.ID.String())
		text := open.Value("ip", r.IP)
		if open.Err != nil {
			return nil, fmt.Errorf("open the event %s: %w", r.ID, open.Err)
		}
		if ip, err := netip.ParseAddr(text); err == nil {
			failed = append(failed, people.FailedAddress{IP: ip, Last: r.ID})
		}
	}
	return failed, nil
}
