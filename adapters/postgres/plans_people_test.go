package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// fillPeople stores accounts of which each tenth is locked by wrong passwords, another
// one by wrong codes, and a hundredth by both; the first has many failed logins,
// devices and notices.
func (e *explained) fillPeople(t *testing.T, now time.Time) {
	t.Helper()
	e.exec(t, `INSERT INTO users (id, email, email_index, email_folded, email_verified, display_name, name_folded, avatar, locale, timezone,
			external_id, metadata, superadmin, status, disabled_why, created_at, updated_at, version)
		SELECT 'usr_' || lpad(i::text, 26, '0'), '', i::text, '', false, '', '', '', '', '', '', '', false, 'active', '', $1, $1, 1 FROM generate_series(1, 40000) AS i`, now)
	e.exec(t, `INSERT INTO credentials (user_id, hash, set_at, failures, locked_until, version)
		SELECT id, '', $1, '', CASE WHEN right(id, 1) = '1' THEN $1::timestamptz + INTERVAL '1 hour' END, 1 FROM users`, now)
	e.exec(t, `INSERT INTO second_factors (user_id, content, locked_until, version)
		SELECT id, '', CASE WHEN right(id, 1) = '2' OR right(id, 2) = '11' THEN $1::timestamptz + INTERVAL '2 hours' END, 1 FROM users`, now)
	e.exec(t, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, command, data)
		SELECT 'evt_7' || lpad(i::text, 25, '0'), 'login.failed', $1, 'failure', 'usr_' || lpad((i % 400)::text, 26, '0'), '', 'anonymous', '', '', '', (i % 7)::text, '', '', '', '{}'
		FROM generate_series(1, 40000) AS i`, now)
	e.exec(t, `INSERT INTO notifications (id, user_id, kind, event_id, ip, user_agent, created_at, read_at, purge_at)
		SELECT 'ntf_' || lpad(i::text, 26, '0'), 'usr_' || lpad((i % 400 + 1)::text, 26, '0'), 'new_device', '', '', '', $1, CASE WHEN i > 20000 THEN $1::timestamptz END, $1
		FROM generate_series(1, 40000) AS i`, now)
	e.exec(t, `INSERT INTO workspaces (id, name, personal_of, created_at, version) SELECT 'org_' || i, '', NULL, $1, 1 FROM generate_series(1, 8000) AS i`, now)
	e.exec(t, `INSERT INTO members (org_id, user_id, grants, joined_at, version) SELECT 'org_1', id, '[{"role":"member"}]', $1, 1 FROM users`, now)
	e.exec(t, `INSERT INTO members (org_id, user_id, grants, joined_at, version)
		SELECT 'org_' || i, 'usr_' || lpad(i::text, 26, '0'), '[{"role":"owner"}]', $1, 1 FROM generate_series(2, 8000) AS i`, now)
	e.exec(t, `VACUUM (ANALYZE) users, credentials, second_factors, events, notifications, workspaces, members`)
}

// Who is locked out, and what people were told, is found by indexes.
func TestPlansOfPeople(t *testing.T) {
	t.Parallel()
	now := planTime()
	const first = user.ID("usr_00000000000000000000000001")
	for mode, e := range planned(t, func(e *explained) { e.fillPeople(t, now) }) {
		for _, c := range []struct {
			what, index string
			found       int
			list        func(ctx context.Context) (int, error)
		}{
			{"locked accounts", "credentials_locked_until", 21, func(ctx context.Context) (int, error) {
				found, err := peoplestore.Lockouts(e.Store).Accounts(ctx, people.LockedQuery{Now: now, Since: now.Add(-time.Hour), Most: 50, Limit: 21})
				return len(found), err
			}},
			{"locked accounts, the next page", "second_factors_locked_until", 21, func(ctx context.Context) (int, error) {
				last := people.LockedAccount{UserID: "usr_00000000000000000000020000", Until: now.Add(2 * time.Hour)}
				found, err := peoplestore.Lockouts(e.Store).Accounts(ctx, people.LockedQuery{Now: now, Since: now.Add(-time.Hour), Most: 50, Before: last, Limit: 21})
				return len(found), err
			}},
			{"notices", "notifications_user_id", 21, func(ctx context.Context) (int, error) {
				found, err := peoplestore.NoticeDirectory(e.Store).List(ctx, people.NoticeQuery{Owner: first, Limit: 21})
				return len(found), err
			}},
			{"unread notices", "notifications_", 21, func(ctx context.Context) (int, error) {
				found, err := peoplestore.NoticeDirectory(e.Store).List(ctx, people.NoticeQuery{Owner: first, Unread: true, Limit: 21})
				return len(found), err
			}},
			{"members", "members_", 21, func(ctx context.Context) (int, error) {
				query := people.MemberQuery{UserQuery: people.UserQuery{Org: "org_1", Before: "usr_00000000000000000000009000", Limit: 21, Now: now}}
				found, err := peoplestore.MemberDirectory(e.Store).List(ctx, query)
				return len(found), err
			}},
			{"devices", "devices_", 0, func(ctx context.Context) (int, error) {
				found, err := signin.DeviceDirectory(e.Store).List(ctx, first, now)
				return len(found), err
			}},
		} {
			plan := e.finding(t, c.found, c.list)
			sorted := c.what != "devices" && strings.Contains(plan, "Sort Method")
			if sorted || !strings.Contains(plan, c.index) || strings.Contains(plan, "Seq Scan on events") || strings.Contains(plan, "Seq Scan on notif") || thrown(plan) > 500 {
				t.Errorf("%s, %s: want %s:\n%s", c.what, mode, c.index, plan)
			}
		}
	}
}
