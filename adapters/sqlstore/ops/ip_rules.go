package ops

import (
	"context"
	"fmt"
	"net/netip"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// IPRules returns the repository of address rules.
func IPRules(tx *sqlstore.Tx) ops.IPRules { return ipRules{tx} }

type ipRules struct{ tx *sqlstore.Tx }

const ipRuleColumns = `id, org_id, list, action, cidr, note, enabled, expires_at, created_at, updated_at, version`

// ipRuleRow is a rule as it is stored; the range and the note are sealed.
type ipRuleRow struct {
	ID        iprule.ID        `db:"id"`
	OrgID     workspace.ID     `db:"org_id"`
	List      iprule.List      `db:"list"`
	Action    iprule.Action    `db:"action"`
	CIDR      string           `db:"cidr"`
	Note      string           `db:"note"`
	Enabled   bool             `db:"enabled"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	UpdatedAt sqlstore.Instant `db:"updated_at"`
	Version   int64            `db:"version"`
}

func (r *ipRuleRow) snapshot(store *sqlstore.Store) (iprule.Snapshot, error) {
	open := store.RowOpener("ip_rules", r.ID.String())
	text, note := open.Value("cidr", r.CIDR), open.Value("note", r.Note)
	if open.Err != nil {
		return iprule.Snapshot{}, fmt.Errorf("open the address rule %s: %w", r.ID, open.Err)
	}
	cidr, err := netip.ParsePrefix(text)
	if err != nil {
		return iprule.Snapshot{}, fmt.Errorf("read the range of the address rule %s: %w", r.ID, err)
	}
	return iprule.Snapshot{
		ID: r.ID, OrgID: r.OrgID, CIDR: cidr, Action: r.Action, List: r.List, Note: note, Enabled: r.Enabled,
		ExpiresAt: r.ExpiresAt.Time, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// ipRulesWhere reads the rules that a clause selects, with the versions of their rows.
func ipRulesWhere(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, rest string, args ...any) ([]iprule.Snapshot, []int64, error) {
	var found []ipRuleRow
	if err := q.List(ctx, &found, `SELECT `+ipRuleColumns+` FROM ip_rules`+rest, args...); err != nil {
		return nil, nil, fmt.Errorf("read address rules: %w", err)
	}
	rules, versions := make([]iprule.Snapshot, len(found)), make([]int64, len(found))
	for i := range found {
		rule, err := found[i].snapshot(store)
		if err != nil {
			return nil, nil, err
		}
		rules[i], versions[i] = rule, found[i].Version
	}
	return rules, versions, nil
}

// Hold locks the rules of a workspace, or of the instance for "", by incrementing the revision. Every
// replica then loads the rules again.
func (r ipRules) Hold(ctx context.Context, org workspace.ID) error {
	if err := workspaces.HoldWorkspace(ctx, r.tx, org); err != nil {
		return err
	}
	column := "workspace_ip_rules_at"
	if org == "" {
		column = "ip_rules_at"
	}
	if _, err := r.tx.Exec(ctx, `UPDATE instance SET revision = revision + 1, `+column+` = revision + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("move the revision of address rules: %w", err)
	}
	return nil
}

// ByID reads one rule. It fails with iprule.ErrNotFound.
func (r ipRules) ByID(ctx context.Context, id iprule.ID) (*iprule.Rule, error) {
	rules, versions, err := ipRulesWhere(ctx, r.tx.Store(), r.tx.Queries, ` WHERE id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, iprule.ErrNotFound
	}
	return iprule.Restore(rules[0], versions[0]), nil
}

// Deciding reads the rules of a workspace, or of the instance, that are on no list.
func (r ipRules) Deciding(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error) {
	rules, _, err := ipRulesWhere(ctx, r.tx.Store(), r.tx.Queries, ` WHERE org_id = ? AND list = ''`, org.String())
	return rules, err
}

// Count counts the rules of a workspace, or of the instance.
func (r ipRules) Count(ctx context.Context, org workspace.ID) (count int, err error) {
	if err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM ip_rules WHERE org_id = ?`, org.String()); err != nil {
		return 0, fmt.Errorf("count address rules: %w", err)
	}
	return count, nil
}

// Save stores a rule. The caller holds the lock of Hold, so that no other transaction takes the range
// after it is checked. It fails with iprule.ErrTaken.
func (r ipRules) Save(ctx context.Context, rule *iprule.Rule) error {
	s := rule.Snapshot()
	index := r.tx.Store().Index(label.IP, s.CIDR.String())
	var taken []iprule.ID
	err := r.tx.List(ctx, &taken, `SELECT id FROM ip_rules WHERE org_id = ? AND list = ? AND cidr_index = ? AND id <> ?`,
		s.OrgID.String(), string(s.List), index, s.ID.String())
	if err != nil {
		return fmt.Errorf("look for a rule of the same range: %w", err)
	}
	if len(taken) > 0 {
		return iprule.ErrTaken
	}
	seal := r.tx.Store().RowSealer("ip_rules", s.ID.String())
	return r.tx.Save(ctx, "ip_rules", sqlstore.Row{{"id", s.ID.String()}, {"org_id", s.OrgID.String()}}, sqlstore.Row{
		{"list", string(s.List)},
		{"action", string(s.Action)},
		{"cidr", seal("cidr", s.CIDR.String())},
		{"cidr_index", index},
		{"note", seal("note", s.Note)},
		{"enabled", s.Enabled},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, rule)
}

// Delete removes a rule.
func (r ipRules) Delete(ctx context.Context, rule *iprule.Rule) error {
	return r.tx.Delete(ctx, "ip_rules", sqlstore.Row{{"id", rule.Snapshot().ID.String()}}, rule)
}

// IPRuleDirectory returns the directory of address rules.
func IPRuleDirectory(store *sqlstore.Store) ops.IPRuleDirectory { return ipRuleDirectory{store} }

type ipRuleDirectory struct{ store *sqlstore.Store }

// OfScope reads all rules of a workspace, or of the instance for "".
func (d ipRuleDirectory) OfScope(ctx context.Context, org workspace.ID) ([]iprule.Snapshot, error) {
	rules, _, err := ipRulesWhere(ctx, d.store, d.store.Reader(ctx), ` WHERE org_id = ?`, org.String())
	return rules, err
}

// List reads a page of rules.
func (d ipRuleDirectory) List(ctx context.Context, query ops.IPRuleQuery) ([]iprule.Snapshot, error) {
	var all sqlstore.Filter
	all.Where("org_id = ?", query.Org.String())
	all.Unless(query.List == "", "list = ?", string(query.List))
	all.Unless(query.Action == "", "action = ?", string(query.Action))
	all.Unless(query.Before == "", "id < ?", query.Before.String())
	rules, _, err := ipRulesWhere(ctx, d.store, d.store.Reader(ctx), all.String()+sqlstore.Newest(query.Limit), all.Args...)
	return rules, err
}
