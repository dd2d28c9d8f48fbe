package sqlstore

import (
	"sync"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// An app in a personal workspace depends on the owner's account.
const (
	// WithOwner joins apps a with their workspaces w and, for personal workspaces, with their
	// owners o. Apps of deleted workspaces are left out.
	WithOwner = ` JOIN workspaces w ON w.id = a.org_id AND w.deleted_at IS NULL LEFT JOIN users o ON o.id = w.personal_of`
	// OwnerColumns are the columns of an OwnerRow.
	OwnerColumns = `COALESCE(o.status, '') AS owner_status, o.disabled_until AS owner_disabled_until, w.disabled_at AS suspended_at,
	w.rules_revision AS owner_rules_revision, w.rules_at AS owner_rules_at`
)

// OwnerRow is the availability of an app's owner, empty in a shared workspace, the time at which
// the workspace was suspended, and its sign-in rules.
type OwnerRow struct {
	Status        string  `db:"owner_status"`
	DisabledUntil Instant `db:"owner_disabled_until"`
	SuspendedAt   Instant `db:"suspended_at"`
	RulesRevision int64   `db:"owner_rules_revision"`
	RulesAt       Instant `db:"owner_rules_at"`
}

func (r *OwnerRow) into() []any {
	return []any{&r.Status, &r.DisabledUntil, &r.SuspendedAt, &r.RulesRevision, &r.RulesAt}
}

// Availability returns the availability of the owner; the zero value if there is none.
func (r *OwnerRow) Availability() user.Availability {
	return user.Availability{Status: user.Status(r.Status), DisabledUntil: r.DisabledUntil.Time}
}

// Rules identify the sign-in rules of the workspace that owns the app.
func (r *OwnerRow) Rules() workspace.RulesMark {
	return workspace.RulesMark{Revision: r.RulesRevision, At: r.RulesAt.Time}
}

// clientRow is an app that wants to authenticate, with the owner of its workspace.
type clientRow struct {
	app   AppRow
	owner OwnerRow
	// opened decodes the app, once for all asks of the batch.
	opened func() (app.Snapshot, error)
}

func newClientRow() credentialRow {
	r := &clientRow{}
	r.opened = sync.OnceValues(r.app.Snapshot)
	return r
}

func (r *clientRow) into() []any { return append(r.app.into(), r.owner.into()...) }

func (r *clientRow) answer(_ *Store, into *outbound.AdmissionAnswer) error {
	snapshot, err := r.opened()
	into.Client = &outbound.Client{
		App: snapshot, Version: r.app.Version, Owner: r.owner.Availability(), Suspended: !r.owner.SuspendedAt.IsZero(), Rules: r.owner.Rules(),
	}
	return err
}
