package sqlstore

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// failedLooked is how many of the latest failed logins are looked at for their
// addresses.
const failedLooked = 10_000

// Lockouts tells who cannot log in by password.
func (s *Store) Lockouts() outbound.Lockouts { return lockouts{s} }

type lockouts struct{ store *Store }

// Accounts gives a page of the accounts that are locked.
func (d lockouts) Accounts(ctx context.Context, query outbound.LockedQuery) ([]outbound.LockedAccount, error) {
	f, last := &filter{}, query.Before
	f.where("c.locked_until IS NOT NULL AND c.locked_until > ?", at(query.Now))
	f.unless(last.Until.IsZero(), "(c.locked_until < ? OR (c.locked_until = ? AND c.user_id < ?))", at(last.Until), at(last.Until), last.UserID.String())
	var found []struct {
		UserID      user.ID `db:"user_id"`
		LockedUntil instant `db:"locked_until"`
		Failures    int     `db:"failures"`
	}
	failed := "SELECT COUNT(*) FROM (SELECT 1 FROM events e WHERE e.user_id = c.user_id AND e.user_id <> '' AND e.id >= ? AND e." +
		ofKind(login.KindFailed) + " LIMIT ?) AS counted"
	args := append([]any{event.EarliestID(query.Since).String(), string(login.KindFailed), query.Most}, f.args...)
	err := d.store.reader(ctx).search(ctx, &found, "SELECT c.user_id, c.locked_until, ("+failed+") AS failures FROM credentials c"+f.String()+
		" ORDER BY c.locked_until DESC, c.user_id DESC LIMIT ?", append(args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list locked accounts: %w", err)
	}
	locked := make([]outbound.LockedAccount, len(found))
	for i, r := range found {
		locked[i] = outbound.LockedAccount{UserID: r.UserID, Until: r.LockedUntil.Time, Failures: r.Failures}
	}
	return locked, nil
}

// Addresses gives the addresses of failed logins.
func (d lockouts) Addresses(ctx context.Context, since time.Time, most int) ([]outbound.FailedAddress, error) {
	var found []struct {
		ID event.ID `db:"id"`
		IP string   `db:"ip"`
	}
	latest := "SELECT id, ip_index FROM events WHERE " + ofKind(login.KindFailed) + " AND id >= ? AND ip_index <> '' ORDER BY id DESC LIMIT ?"
	err := d.store.reader(ctx).search(ctx, &found, `
		SELECT e.id, e.ip FROM (SELECT MAX(id) AS id FROM (`+latest+`) AS latest GROUP BY ip_index) AS last
		JOIN events e ON e.id = last.id ORDER BY e.id DESC LIMIT ?`,
		string(login.KindFailed), event.EarliestID(since).String(), failedLooked, most)
	if err != nil {
		return nil, fmt.Errorf("list the addresses of failed logins: %w", err)
	}
	failed := make([]outbound.FailedAddress, 0, len(found))
	for _, r := range found {
		open := opener{sealer: d.store.personal, table: "events", id: r.ID.String()}
		text := open.value("ip", r.IP)
		if open.err != nil {
			return nil, fmt.Errorf("open the event %s: %w", r.ID, open.err)
		}
		if ip, err := netip.ParseAddr(text); err == nil {
			failed = append(failed, outbound.FailedAddress{IP: ip, Last: r.ID})
		}
	}
	return failed, nil
}
