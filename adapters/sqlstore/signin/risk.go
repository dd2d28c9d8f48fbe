package signin

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/ports/outbound/signin"
)

// RiskHistories returns the histories by which attempts are scored.
func RiskHistories(tx *sqlstore.Tx) signin.RiskHistories { return riskHistories{tx} }

type riskHistories struct{ tx *sqlstore.Tx }

// riskRow is a row of one part of a history.
type riskRow struct {
	Part      string           `db:"part"`
	ID        string           `db:"id"`
	At        sqlstore.Instant `db:"at"`
	IP        string           `db:"ip"`
	UserAgent string           `db:"user_agent"`
	N         int              `db:"n"`
}

// The kinds are literals, as in the conditions of the partial indexes, which are not used for
// parameters. So are the limits (risk.MostLogins): for a parameter PostgreSQL expects more rows,
// and sorts all of them.
const (
	riskLogins = `SELECT 'login' AS part, id, at, ip, user_agent, 0 AS n FROM (
		SELECT id, at, ip, user_agent FROM events WHERE kind = 'session.created' AND user_id <> '' AND user_id = ? AND id >= ?`
	lastLogins  = ` ORDER BY id DESC LIMIT 50) AS logins`
	riskHistory = riskLogins + lastLogins + `
	UNION ALL SELECT 'denied', id, created_at, ip, '', 0 FROM (
		SELECT id, verdict_at AS created_at, ip FROM risk_assessments WHERE verdict = 'not_mine' AND user_id = ?
		ORDER BY id DESC LIMIT 20) AS denied
	UNION ALL SELECT 'client', '', (SELECT seen_at FROM known_clients WHERE user_id = ? AND client = ?), '', '',
		CASE WHEN EXISTS (SELECT 1 FROM known_clients WHERE user_id = ?) THEN 1 ELSE 0 END
	UNION ALL SELECT 'failures', '', NULL, '', '', COUNT(*) FROM (
		SELECT id FROM events WHERE kind = 'login.failed' AND user_id <> '' AND user_id = ? AND id >= ?
		ORDER BY id DESC LIMIT 100) AS failures
	UNION ALL SELECT 'accounts', '', NULL, '', '', COUNT(DISTINCT CASE WHEN user_id = '' THEN id ELSE user_id END) FROM (
		SELECT id, user_id FROM events WHERE kind = 'login.failed' AND ip_index <> '' AND ip_index = ? AND id >= ?
		ORDER BY id DESC LIMIT 500) AS failed
	UNION ALL SELECT 'trusted', '', NULL, '', '', COUNT(*) FROM devices
		WHERE digest = ? AND user_id = ? AND created_at > ? AND expires_at > ?
	UNION ALL SELECT 'told', '', NULL, '', '',
		CASE WHEN EXISTS (SELECT 1 FROM risk_assessments WHERE user_id = ? AND id >= ? AND level = 'high') THEN 1 ELSE 0 END`
)

// Of reads a history by one statement. Each part of it is found by an index, and has a
// bound.
func (r riskHistories) Of(ctx context.Context, ask signin.RiskQuery) (risk.History, error) {
	person, hour := ask.User.String(), ask.Now.Add(-time.Hour)
	since, lately := event.EarliestID(ask.Now.Add(-risk.Window)).String(), event.EarliestID(hour).String()
	text, args := riskLogins+` AND org_id = ?`+lastLogins, []any{person, since, ask.Org.String()}
	if ask.Org == "" {
		text, args = riskHistory, []any{
			person, since,
			person,
			person, ask.Client, person,
			person, lately,
			r.tx.Store().Index(label.IP, ask.IP), lately,
			ask.Device, person, sqlstore.At(ask.RememberedAfter), sqlstore.At(ask.Now),
			person, risk.EarliestID(hour).String(),
		}
	}
	var found []riskRow
	if err := r.tx.List(ctx, &found, text, args...); err != nil {
		return risk.History{}, fmt.Errorf("read the history of an account: %w", err)
	}
	var h risk.History
	for i := range found {
		if err := r.add(&h, &found[i], ask); err != nil {
			return risk.History{}, err
		}
	}
	slices.SortFunc(h.Logins, func(a, b risk.Login) int { return b.At.Compare(a.At) })
	if ask.Org != "" {
		h.UsedBefore = len(h.Logins) > 0
		h.KnownClient = slices.ContainsFunc(h.Logins, func(l risk.Login) bool { return l.Client == ask.Client })
	}
	return h, nil
}

// add adds a row to a history.
func (r riskHistories) add(h *risk.History, row *riskRow, ask signin.RiskQuery) error {
	switch row.Part {
	case "login":
		open := r.tx.Store().RowOpener("events", row.ID)
		ip, userAgent := open.Value("ip", row.IP), open.Value("user_agent", row.UserAgent)
		if open.Err != nil {
			return fmt.Errorf("open the event %s: %w", row.ID, open.Err)
		}
		if row.At.After(ask.Now) {
			return nil
		}
		h.Logins = append(h.Logins, risk.Login{At: row.At.Time, IP: address(ip), Client: device.Kind(userAgent)})
	case "denied":
		open := r.tx.Store().RowOpener("risk_assessments", row.ID)
		ip := open.Value("ip", row.IP)
		if open.Err != nil {
			return fmt.Errorf("open the assessment %s: %w", row.ID, open.Err)
		}
		h.Denied = append(h.Denied, risk.Denial{At: row.At.Time, IP: address(ip)})
	case "client":
		h.UsedBefore = row.N > 0
		if seen := row.At.Time; !seen.IsZero() && ask.Now.Sub(seen) < ask.KnownFor {
			h.KnownClient, h.ClientAge = true, ask.Now.Sub(seen)
		}
	case "failures":
		h.Failures = row.N
	case "accounts":
		h.AddressAccounts = row.N
	case "trusted":
		h.Trusted = row.N > 0
	case "told":
		h.Notified = row.N > 0
	}
	return nil
}

// address parses an IP address; zero for an invalid one.
func address(text string) netip.Addr {
	parsed, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return parsed
}
