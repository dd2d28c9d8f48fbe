package workspace

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

// Errors of workspaces.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such workspace")
	ErrNotMember = fault.New(fault.NotFound, "no such workspace member")
	ErrLastOwner = fault.New(fault.Validation, "the last owner of a workspace cannot be removed")
	ErrSuspended = fault.New(fault.Denied, "the workspace is suspended")
	ErrPersonal  = fault.New(fault.Validation, "you cannot remove the owner role from the account that a personal workspace belongs to")
	ErrHome      = fault.New(fault.Validation, "a personal workspace is deleted with its account: call USER.DELETE")
	// ErrSells is returned for the deletion of a workspace with running subscriptions
	// of buyers: their processor would continue to charge them, unknown to this
	// service.
	ErrSells   = fault.New(fault.Validation, "the workspace has active subscriptions or open checkouts: cancel subscriptions, archive products and wait until checkouts expire")
	ErrConfirm = fault.Unfit("/confirm_slug", "does not match the slug of the workspace")
)

type idKind struct{}

func (idKind) Prefix() string { return "org" }

// ID identifies a workspace.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// ParseID reads an identifier; it fails with id.ErrMalformed.
func ParseID(text string) (ID, error) { return id.Parse[idKind](text) }

// firstRole is the default role of a workspace that has set none.
const firstRole = "member"

// Snapshot is the stored state of a workspace.
type Snapshot struct {
	ID   ID     `audit:"id"`
	Name string `audit:"name"`
	Slug Slug   `audit:"slug"`
	// PersonalOf is the account of a personal workspace; empty for a shared one.
	PersonalOf user.ID `audit:"personal_of"`
	LogoURL    string  `audit:"logo_url"`
	// DefaultRole is the role of new members without another one.
	DefaultRole string `audit:"default_role"`
	// AllowedMethods are the ways in which a session that acts here may have begun; empty:
	// all.
	AllowedMethods []Method `audit:"allowed_methods"`
	// Metadata is the application's own data.
	Metadata map[string]any `audit:"metadata"`
	// DisabledAt is set while the workspace is suspended, and why.
	DisabledAt  time.Time `audit:"disabled_at"`
	DisabledWhy string    `audit:"disabled_reason"`
	CreatedAt   time.Time
}

// Personal reports whether the workspace is personal: created and deleted with an
// account.
func (s Snapshot) Personal() bool { return s.PersonalOf != "" }

// Disabled reports whether it is suspended.
func (s Snapshot) Disabled() bool { return !s.DisabledAt.IsZero() }

// Workspace is a place that owns things and has members.
type Workspace struct {
	aggregate.Root
	s Snapshot
}

// NewPersonal makes the workspace that comes with an account.
func NewPersonal(id ID, owner user.ID, name string, now time.Time) *Workspace {
	return made(Snapshot{ID: id, Name: name, Slug: nameless(id, true), PersonalOf: owner, CreatedAt: now}, owner)
}

// Draft are the attributes of a new workspace.
type Draft struct {
	ID       ID
	Owner    user.ID
	Name     string
	Slug     Slug
	Metadata map[string]any
}

// New makes a workspace to share. It fails like external.Merge.
func New(f Draft, now time.Time) (*Workspace, error) {
	metadata, err := external.Merge(nil, f.Metadata)
	if err != nil {
		return nil, err
	}
	return made(Snapshot{ID: f.ID, Name: f.Name, Slug: f.Slug, Metadata: metadata, CreatedAt: now}, f.Owner), nil
}

func made(s Snapshot, owner user.ID) *Workspace {
	s.DefaultRole = firstRole
	w := &Workspace{s: s}
	w.Track(&w.s)
	w.Raise(Created{OrgID: s.ID, OwnerID: owner, Personal: s.Personal(), Name: s.Name, Slug: s.Slug})
	return w
}

// Restore returns the workspace that was stored.
func Restore(s Snapshot, version int64) *Workspace {
	if s.Slug == "" {
		s.Slug = nameless(s.ID, s.Personal())
	}
	if s.DefaultRole == "" {
		s.DefaultRole = firstRole
	}
	w := &Workspace{Root: aggregate.At(version), s: s}
	w.Track(&w.s)
	return w
}

// Share ends that the workspace is the personal one of an account, which goes into another.
func (w *Workspace) Share() {
	w.s.PersonalOf = ""
	w.Raise(Updated{OrgID: w.s.ID, Changed: []string{"personal"}})
}

// Snapshot returns the state to store.
func (w *Workspace) Snapshot() Snapshot { return w.s }

// ID returns the workspace's identifier.
func (w *Workspace) ID() ID { return w.s.ID }

// Change is a partial update of a workspace; nil fields stay unchanged.
type Change struct {
	Name           *string
	Slug           *Slug
	LogoURL        *string
	DefaultRole    *string
	AllowedMethods *[]Method
	// Metadata is a merge patch (RFC 7396).
	Metadata map[string]any
}

// Update applies a change. One that changes nothing raises nothing; it fails like
// external.Merge, and changes nothing then.
func (w *Workspace) Update(c Change) error {
	merged, err := external.Merge(w.s.Metadata, c.Metadata)
	if err != nil {
		return err
	}
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &w.s.Name, c.Name)
	aggregate.Put(&changed, "slug", &w.s.Slug, c.Slug)
	aggregate.Put(&changed, "logo_url", &w.s.LogoURL, c.LogoURL)
	aggregate.Put(&changed, "default_role", &w.s.DefaultRole, c.DefaultRole)
	if c.AllowedMethods != nil && !slices.Equal(*c.AllowedMethods, w.s.AllowedMethods) {
		w.s.AllowedMethods = *c.AllowedMethods
		changed.Note("allowed_methods", true)
	}
	if !external.Same(merged, w.s.Metadata) {
		w.s.Metadata = merged
		changed.Note("metadata_json", true)
	}
	if len(changed) > 0 {
		w.Raise(Updated{OrgID: w.s.ID, Changed: changed})
	}
	return nil
}

// Disable suspends the workspace; one that is suspended stays as it is.
func (w *Workspace) Disable(reason string, now time.Time) {
	if w.s.Disabled() {
		return
	}
	w.s.DisabledAt, w.s.DisabledWhy = now, reason
	w.Raise(Disabled{OrgID: w.s.ID, Reason: reason})
}

// Enable lifts the suspension; one that is not suspended stays as it is.
func (w *Workspace) Enable() {
	if !w.s.Disabled() {
		return
	}
	w.s.DisabledAt, w.s.DisabledWhy = time.Time{}, ""
	w.Raise(Enabled{OrgID: w.s.ID})
}

// Delete takes the workspace away for good. It fails with ErrHome for a personal one, and
// with ErrConfirm unless its slug was typed.
func (w *Workspace) Delete(typed Slug) error {
	switch {
	case w.s.Personal():
		return ErrHome
	case typed != w.s.Slug:
		return ErrConfirm
	}
	w.Raise(Deleted{OrgID: w.s.ID, Slug: w.s.Slug})
	return nil
}
