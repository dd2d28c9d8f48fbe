package licensing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
)

// mostLicenses is how many licenses, and how many subscriptions, of a user and of a workspace are read: the
// newest.
const mostLicenses = 200

// The parts of the result of Holdings.
const (
	partHead = iota
	partFeature
	partPerson
	partWorkspace
	partLicense
	partSubscription
)

// holdingRow is a row of any part. A head has its revision, an override its key and value, a license its
// terms as Value and the features of the product as Rules, and a subscription the latter alone.
type holdingRow struct {
	Part     int64        `db:"part"`
	Key      feature.Key  `db:"key"`
	Type     feature.Type `db:"type"`
	Value    string       `db:"value"`
	Rules    string       `db:"rules"`
	Enabled  bool         `db:"enabled"`
	Revision int64        `db:"revision"`
}

// Holdings reads what decides about the features of a user and a workspace, by one statement. Either of them
// may be empty. The features are read only if their revision is not the known one.
func (d featureDirectory) Holdings(ctx context.Context, ask licensing.HoldingsQuery) (licensing.FeatureHoldings, error) {
	org, now := ask.Org.String(), sqlstore.At(ask.Now)
	statement := `SELECT 0 AS part, '' AS key, '' AS type, '' AS value, '' AS rules, TRUE AS enabled, h.revision AS revision
			FROM feature_heads h WHERE h.org_id = ?
		UNION ALL SELECT 1, f.key, f.type, f.default_value, f.rules, f.enabled, 0 FROM features f
			WHERE f.org_id = ? AND EXISTS (SELECT 1 FROM feature_heads h WHERE h.org_id = ? AND h.revision <> ?)`
	args := []any{org, org, org, ask.Known}
	for _, one := range []struct {
		part  string
		whose feature.Target
		owner string
		buyer string
	}{{"2", ask.Person, "user_id", "user_id"}, {"3", ask.Workspace, "owner_org_id", "buyer_org_id"}} {
		if one.whose.Name() == "" {
			continue
		}
		statement += ` UNION ALL SELECT ` + one.part + `, o.key, '', o.value, '', TRUE, 0 FROM feature_overrides o
			WHERE o.org_id = ? AND o.subject = ? AND (o.expires_at IS NULL OR o.expires_at > ?)
			UNION ALL SELECT * FROM (SELECT 4, '', '', l.terms, p.features, l.activated_at IS NOT NULL, 0
				FROM licenses l JOIN products p ON p.id = l.product_id
				WHERE l.org_id = ? AND l.` + one.owner + ` = ? AND l.status = 'active' AND (l.ends_at IS NULL OR l.ends_at > ?)`
		args = append(args, org, one.whose.Name(), now, org, one.whose.Name(), now)
		if ask.Product != "" {
			statement += ` AND l.product_id = ?`
			args = append(args, ask.Product.String())
		}
		statement += ` ORDER BY l.id DESC LIMIT ?) AS owned_by_` + one.owner
		args = append(args, mostLicenses)
		statement += ` UNION ALL SELECT * FROM (SELECT 5, '', '', '', p.features, TRUE, 0
				FROM subscriptions s JOIN products p ON p.id = s.product_id WHERE s.org_id = ? AND s.` + one.buyer + ` = ? AND s.gives_until > ?`
		args = append(args, org, one.whose.Name(), now)
		if ask.Product != "" {
			statement += ` AND s.product_id = ?`
			args = append(args, ask.Product.String())
		}
		statement += ` ORDER BY s.id DESC LIMIT ?) AS bought_by_` + one.owner
		args = append(args, mostLicenses)
	}
	var rows []holdingRow
	if err := d.store.Reader(ctx).List(ctx, &rows, statement, args...); err != nil {
		return licensing.FeatureHoldings{}, fmt.Errorf("read the holdings of features: %w", err)
	}
	return newHoldings(rows)
}

// newHoldings converts the rows of Holdings.
func newHoldings(rows []holdingRow) (licensing.FeatureHoldings, error) {
	h := licensing.FeatureHoldings{Holdings: feature.Holdings{
		Person: feature.OwnedValues{}, Workspace: feature.OwnedValues{}, Licenses: feature.OwnedValues{}, Subscriptions: feature.OwnedValues{},
	}}
	for i := range rows {
		row, err := &rows[i], error(nil)
		switch row.Part {
		case partHead:
			h.Revision = row.Revision
		case partFeature:
			err = row.feature(&h)
		case partPerson:
			err = row.pinned(h.Person)
		case partWorkspace:
			err = row.pinned(h.Workspace)
		case partLicense:
			err = row.owned(&h)
		case partSubscription:
			err = row.bought(&h)
		}
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

func (r *holdingRow) feature(h *licensing.FeatureHoldings) error {
	s, err := (&featureRow{Key: r.Key, Type: r.Type, Default: r.Value, Rules: r.Rules, Enabled: r.Enabled}).snapshot()
	h.Features = append(h.Features, s)
	return err
}

func (r *holdingRow) pinned(to feature.OwnedValues) error {
	o, err := (&overrideRow{Key: r.Key, Value: r.Value}).override()
	to[o.Key] = o.Value
	return err
}

// bought adds the features of the product of a subscription.
func (r *holdingRow) bought(h *licensing.FeatureHoldings) error {
	var sold feature.Values
	if err := decode(r.Rules, &sold); err != nil {
		return fmt.Errorf("decode the features of a product: %w", err)
	}
	h.Subscriptions.Add(sold)
	return nil
}

// owned adds the features of a license: those of its own terms override those of its product. A license
// that starts with the activation of its first machine grants nothing before.
func (r *holdingRow) owned(h *licensing.FeatureHoldings) error {
	var terms license.Terms
	var sold feature.Values
	if err := decode(r.Value, &terms); err != nil {
		return fmt.Errorf("decode the terms of a license: %w", err)
	}
	if err := decode(r.Rules, &sold); err != nil {
		return fmt.Errorf("decode the features of a product: %w", err)
	}
	if terms.Starts == license.AtActivation && !r.Enabled {
		return nil
	}
	h.Licenses.Add(terms.Features.Over(sold))
	h.Licensed = true
	return nil
}
