package postgres_test

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/test/harness"
)

// Two who issue licenses by one policy do not wait for each other; who changes the policy waits
// for both.
func TestIssuingSideBySide(t *testing.T) {
	t.Parallel()
	const policy, brief = product.PolicyID("lpo_1"), 300 * time.Millisecond
	e := explainedStore(t, harness.PostgresServer(t).DSN(), nil)
	e.exec(t, `INSERT INTO workspaces (id, name, personal_of, created_at, version) VALUES ('org_1', '', NULL, $1, 1)`, planTime())
	e.exec(t, `INSERT INTO license_policies (id, org_id, name, terms, created_at, updated_at, version) VALUES ('lpo_1', 'org_1', 'Year', '{}', $1, $1, 1)`, planTime())
	issue := func(ctx context.Context, meanwhile func() error) error {
		return e.Transact(ctx, func(tx *sqlstore.Tx) error {
			if _, err := licensing.Policies(tx).Terms(ctx, policy); err != nil {
				return err
			}
			return meanwhile()
		})
	}
	change := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), brief)
		defer cancel()
		return e.Transact(ctx, func(tx *sqlstore.Tx) error {
			_, err := licensing.Policies(tx).ByID(ctx, policy)
			return err
		})
	}
	err := issue(t.Context(), func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return issue(ctx, func() error {
			if change() == nil {
				t.Error("a policy is changed while licenses are issued by it")
			}
			return nil
		})
	})
	if err != nil {
		t.Errorf("two who issue: %v", err)
	}
	if err := change(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
