package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/ops"
)

// Instance returns the directory that reads the configuration of the instance.
func Instance(store *sqlstore.Store) ops.Instance { return instance{store} }

type instance struct{ store *sqlstore.Store }

// instanceQuery reads the configuration by one statement, so that all of it is of one revision: on
// both databases a statement sees a single state of the store. The first column names the part; the
// meaning of the others depends on it.
const instanceQuery = `
SELECT 'instance' AS part, '' AS a, '' AS b, '' AS c, revision AS l,
	CASE WHEN EXISTS (SELECT 1 FROM policies WHERE org_id > '') THEN 1 ELSE 0 END AS m, 0 AS n,
	spike_started_at AS t, spike_until AS u, CAST(NULL AS {time}) AS v, CAST(NULL AS {time}) AS w
FROM instance WHERE id = 1
UNION ALL SELECT 'ip rules', '', '', '', ip_rules_at, workspace_ip_rules_at, 0, NULL, NULL, NULL, NULL FROM instance WHERE id = 1
UNION ALL SELECT 'flows', '', '', '', flows_at, workspace_flows_at, 0, NULL, NULL, NULL, NULL FROM instance WHERE id = 1
UNION ALL SELECT 'setting', name, value, '', 0, 0, 0, NULL, NULL, NULL, NULL FROM settings
UNION ALL SELECT 'limit', command, counted_by, '', 0, max_count, window_micros, NULL, NULL, NULL, NULL FROM rate_limit_rules
UNION ALL SELECT 'policy', kind, content, '', 0, 0, 0, NULL, NULL, NULL, NULL FROM policies WHERE org_id = ''
UNION ALL SELECT 'ring', algorithm, signs, '', version, every_days, overlap_hours, rotate_at, NULL, NULL, NULL FROM key_ring
UNION ALL SELECT 'key', kid, algorithm, private, place, 0, 0, created_at, activated_at, overlap_until, revoked_at FROM signing_keys
ORDER BY part, l, a, b`

// instanceRow is a row of instanceQuery.
type instanceRow struct {
	Part string           `db:"part"`
	A    string           `db:"a"`
	B    string           `db:"b"`
	C    string           `db:"c"`
	L    int64            `db:"l"`
	M    int64            `db:"m"`
	N    int64            `db:"n"`
	T    sqlstore.Instant `db:"t"`
	U    sqlstore.Instant `db:"u"`
	V    sqlstore.Instant `db:"v"`
	W    sqlstore.Instant `db:"w"`
}

// Load reads the configuration at one revision. It fails with sqlstore.ErrNoInstance.
func (r instance) Load(ctx context.Context) (ops.InstanceState, error) {
	var found []instanceRow
	if err := r.store.Reader(ctx).List(ctx, &found, instanceQuery); err != nil {
		return ops.InstanceState{}, fmt.Errorf("read the instance: %w", err)
	}
	load := loading{state: ops.InstanceState{
		Settings: map[string]json.RawMessage{},
		Policies: make(map[policy.Kind]ops.PolicyValues),
	}}
	for _, one := range found {
		if err := load.add(one); err != nil {
			return ops.InstanceState{}, err
		}
	}
	if load.state.Revision == 0 {
		return ops.InstanceState{}, sqlstore.ErrNoInstance
	}
	if load.ring != nil {
		ring, err := openRing(r.store, load.ring, load.keys)
		if err != nil {
			return ops.InstanceState{}, err
		}
		load.state.Keys = ring
	}
	return load.state, nil
}

// loading is a state while its rows are read.
type loading struct {
	state ops.InstanceState
	ring  *ringRow
	keys  []keyRow
}

// add adds a row to the state.
func (l *loading) add(r instanceRow) error {
	switch r.Part {
	case "instance":
		l.state.Revision, l.state.WorkspacePolicies = r.L, r.M == 1
		l.state.Spike = loginevent.Spike{StartedAt: r.T.Time, Until: r.U.Time}
	case "ip rules":
		l.state.IPRules = ops.IPRuleMarks{Instance: r.L, Workspaces: r.M}
	case "flows":
		l.state.Flows = ops.FlowMarks{Instance: r.L, Workspaces: r.M}
	case "setting":
		l.state.Settings[r.A] = json.RawMessage(r.B)
	case "limit":
		l.state.Limits = append(l.state.Limits, ops.TunedLimit{
			Command: r.A, By: limit.Key(r.B),
			Rule: limit.Rule{Limit: int(r.M), Window: time.Duration(r.N) * time.Microsecond},
		})
	case "policy":
		values, err := decodePolicy(r.B)
		l.state.Policies[policy.Kind(r.A)] = values
		return err
	case "ring":
		l.ring = &ringRow{
			EveryDays: int(r.M), Algorithm: signingkey.Algorithm(r.A), Signs: signingkey.Algorithm(r.B), OverlapHours: int(r.N), RotateAt: r.T, Version: r.L,
		}
	case "key":
		l.keys = append(l.keys, keyRow{
			KID: r.A, Algorithm: signingkey.Algorithm(r.B), Private: r.C,
			CreatedAt: r.T, ActivatedAt: r.U, OverlapUntil: r.V, RevokedAt: r.W,
		})
	}
	return nil
}
