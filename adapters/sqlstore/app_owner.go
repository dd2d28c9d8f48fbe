package sqlstore

import (
	"sync"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// An app in a personal workspace acts for its owner, and stops with them.
const (
	// WithOwner joins to apps a the workspace w of each, and whose personal one that is, o.
	// An app of a workspace that is deleted is none.
	WithOwner = ` JOIN workspaces w ON w.id = a.org_id AND w.deleted_at IS NULL LEFT JOIN users o ON o.id = w.personal_of`
	// OwnerColumns are what an OwnerRow reads.
	OwnerColumns = `COALESCE(o.status, '') AS owner_status, o.disabled_until AS owner_disabled_until, w.disabled_at AS suspended_at`
	// OwnerUsable begins the condition that there is no o, or one whose account may be
	// used, user.Availability in SQL: the moment and OwnerUsableEnd follow.
	OwnerUsable    = `(o.id IS NULL OR o.status <> 'disabled' OR (o.disabled_until IS NOT NULL AND o.disabled_until <= `
	OwnerUsableEnd = `))`
)

// OwnerRow is the availability of an app's owner, which is empty in a shared workspace, and
// since when its workspace is suspended.
type OwnerRow struct {
	Status        string  `db:"owner_status"`
	DisabledUntil Instant `db:"owner_disabled_until"`
	SuspendedAt   Instant `db:"suspended_at"`
}

func (r *OwnerRow) into() []any { return []any{&r.Status, &r.DisabledUntil, &r.SuspendedAt} }

// Availability returns what was read; the zero value where there is no owner.
func (r *OwnerRow) Availability() user.Availability {
	return user.Availability{Status: user.Status(r.Status), DisabledUntil: r.DisabledUntil.Time}
}

// clientRow is an app that wants to authenticate, with the owner of its workspace.
type clientRow struct {
	app   AppRow
	owner OwnerRow
	// opened is the app, which is opened once for all who ask for it together.
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
	into.Client = &outbound.Client{App: snapshot, Version: r.app.Version, Owner: r.owner.Availability(), Suspended: !r.owner.SuspendedAt.IsZero()}
	return err
}
