// Package live holds the rules of package liveness in SQL: a fragment for each reason that a
// statement looks for. A condition is made of a subset of the reasons, and holds if none of them
// applies, so that a door in SQL and its rule in Go cannot ask for different things.
//
// The fragments name their tables by the letters that all statements use: a session s, an API key
// k with its text x, an M2M token t, a grant g, an app a with its workspace w and its owner o.
package live

import (
	"fmt"
	"strings"

	"gatehouse.internal/domain/liveness"
)

// Condition is a condition with a parameter in each place where it compares with a moment.
type Condition string

// Args returns the parameters: one moment, for each of its places.
func (c Condition) Args(at any) []any {
	args := make([]any, strings.Count(string(c), "?"))
	for i := range args {
		args[i] = at
	}
	return args
}

// Session returns the condition on a session s.
func Session(of liveness.Reasons) Condition {
	return all(of, map[liveness.Reasons]string{
		liveness.SessionEnded:   `s.ended_at IS NULL`,
		liveness.SessionExpired: `s.expires_at > ?`,
		liveness.SessionIdle:    `s.last_used_at + s.idle_seconds * {second} > ?`,
	})
}

// Key returns the condition on an API key k and one of its texts x.
func Key(of liveness.Reasons) Condition {
	return all(of, map[liveness.Reasons]string{
		liveness.KeyRevoked: `k.revoked_at IS NULL`,
		liveness.KeyExpired: `(k.expires_at IS NULL OR k.expires_at > ?) AND (x.expires_at IS NULL OR x.expires_at > ?)`,
	})
}

// Token returns the condition on an M2M token t of an app a, in a workspace w with an owner o.
func Token(of liveness.Reasons) Condition {
	return all(of, map[liveness.Reasons]string{
		liveness.TokenRevoked:  `t.revoked_at IS NULL`,
		liveness.TokenExpired:  `t.expires_at > ?`,
		liveness.TokensRevoked: `(a.revoked_before IS NULL OR a.revoked_before <= t.issued_at)`,
		liveness.AppDisabled:   `a.enabled`,
		liveness.OwnerDisabled: `(o.id IS NULL OR ` + usable("o") + `)`,
		liveness.AppSuspended:  `w.disabled_at IS NULL`,
		liveness.AudienceMoved: `COALESCE((SELECT n.epoch = t.audience_epoch AND n.org_id IN ('', a.org_id)
			FROM audiences n WHERE n.name = t.audience), TRUE)`,
	})
}

// NewToken returns the condition on an M2M token that is about to be stored from a row r, at the
// moment at which it is issued.
func NewToken(of liveness.Reasons) string {
	return strings.NewReplacer("?", "r.issued_at", "t.issued_at", "r.issued_at").Replace(string(Token(of)))
}

// Grant returns the condition on a grant g.
func Grant(of liveness.Reasons) Condition {
	return all(of, map[liveness.Reasons]string{
		liveness.GrantEnded:   `g.ended_at IS NULL`,
		liveness.GrantExpired: `g.expires_at > ?`,
		liveness.SessionEnded: `(g.offline OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = g.session_id AND ` + string(Session(liveness.SessionEnded)) + `))`,
	})
}

// Account returns the condition that an account may be used (user.Availability), in a table or
// under an alias.
func Account(table string) Condition { return Condition(usable(table)) }

func usable(table string) string {
	return fmt.Sprintf(`(%[1]s.status <> 'disabled' OR (%[1]s.disabled_until IS NOT NULL AND %[1]s.disabled_until <= ?))`, table)
}

// all returns the condition that none of the reasons applies. That something is unknown is that
// there is no row.
func all(of liveness.Reasons, fragments map[liveness.Reasons]string) Condition {
	var conditions []string
	for _, reason := range (of &^ liveness.Unknown).Each() {
		fragment, known := fragments[reason]
		if !known {
			panic("live: no fragment of SQL for: " + reason.String())
		}
		conditions = append(conditions, fragment)
	}
	return Condition(strings.Join(conditions, " AND "))
}
