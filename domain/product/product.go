// Package product is the model of products: their features, and the terms of their
// licenses (spec/licenses.md section 1).
package product

import (
	"reflect"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/workspace"
)

// MostProducts is how many products a workspace may have, archived ones included.
const MostProducts = 1000

// DefaultGraceDays is for how many days access outlasts a payment that is due.
const DefaultGraceDays = 7

// Errors of products.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such product")
	ErrTooMany   = fault.LimitReached("product", MostProducts, "delete unused products")
	ErrSlugTaken = fault.Unfit("/slug", "is or was the slug of another product")
	ErrSold      = fault.New(fault.Validation, "the product has sales: archive it instead (PRODUCT.UPDATE)")
	ErrProcessor = fault.Unfit("/processor", "cannot be changed after the first sale")
	ErrLicensed  = fault.New(fault.Validation, "the product has licenses: archive it instead (PRODUCT.UPDATE)")
)

// Snapshot is the stored state of a product.
type Snapshot struct {
	ID          ID `audit:"id"`
	OrgID       workspace.ID
	Name        string    `audit:"name"`
	Slug        Slug      `audit:"slug"`
	Description string    `audit:"description"`
	Processor   Processor `audit:"processor"`
	// Features are the features of owners of the product.
	Features feature.Values `audit:"features"`
	// PolicyID is the terms that its licenses are issued from unless others are named;
	// empty for none.
	PolicyID PolicyID `audit:"policy_id"`
	// Public products are seen by buyers.
	Public    bool `audit:"public"`
	Archived  bool `audit:"archived"`
	GraceDays int  `audit:"grace_days"`
	// Metadata is the application's own data.
	Metadata             map[string]any `audit:"metadata"`
	CreatedAt, UpdatedAt time.Time
}

// Product is one product.
type Product struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new product.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	Name        string
	Slug        Slug
	Description string
	Processor   Processor
	Features    feature.Values
	PolicyID    PolicyID
	Public      bool
	GraceDays   int
	Metadata    map[string]any
}

// Define makes a product. It fails like feature.Values.Check and external.Merge.
func Define(d Draft, now time.Time) (*Product, error) {
	if err := d.Features.Check("/features"); err != nil {
		return nil, err
	}
	metadata, err := external.Merge(nil, d.Metadata)
	if err != nil {
		return nil, err
	}
	p := &Product{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, Name: d.Name, Slug: d.Slug, Description: d.Description, Processor: d.Processor,
		Features: d.Features, PolicyID: d.PolicyID, Public: d.Public, GraceDays: d.GraceDays, Metadata: metadata,
		CreatedAt: now, UpdatedAt: now,
	}}
	p.Track(&p.s)
	p.Raise(Created{ProductID: d.ID, OrgID: d.OrgID, Slug: d.Slug, Name: d.Name})
	return p, nil
}

// Restore returns the product that was stored.
func Restore(s Snapshot, version int64) *Product {
	p := &Product{Root: aggregate.At(version), s: s}
	p.Track(&p.s)
	return p
}

// Snapshot returns the state to store.
func (p *Product) Snapshot() Snapshot { return p.s }

// Change is a partial update of a product; nil fields stay unchanged.
type Change struct {
	Name        *string
	Description *string
	Processor   *Processor
	// Features take the place of those before.
	Features  feature.Values
	PolicyID  *PolicyID
	Public    *bool
	Archived  *bool
	GraceDays *int
	// Metadata is a merge patch (RFC 7396).
	Metadata map[string]any
}

// Update changes fields of the product. It fails like Define, and changes nothing then.
// What stays the same raises nothing.
func (p *Product) Update(c Change, now time.Time) error {
	if err := c.Features.Check("/features"); err != nil {
		return err
	}
	metadata, err := external.Merge(p.s.Metadata, c.Metadata)
	if err != nil {
		return err
	}
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &p.s.Name, c.Name)
	aggregate.Put(&changed, "description", &p.s.Description, c.Description)
	aggregate.Put(&changed, "processor", &p.s.Processor, c.Processor)
	aggregate.Put(&changed, "license_policy_id", &p.s.PolicyID, c.PolicyID)
	aggregate.Put(&changed, "public", &p.s.Public, c.Public)
	aggregate.Put(&changed, "archived", &p.s.Archived, c.Archived)
	aggregate.Put(&changed, "grace_days", &p.s.GraceDays, c.GraceDays)
	if c.Features != nil && !reflect.DeepEqual(c.Features, p.s.Features) {
		p.s.Features = c.Features
		changed.Note("features", true)
	}
	if !external.Same(metadata, p.s.Metadata) {
		p.s.Metadata = metadata
		changed.Note("metadata_json", true)
	}
	if changed == nil {
		return nil
	}
	p.s.UpdatedAt = now
	p.Raise(Updated{ProductID: p.s.ID, OrgID: p.s.OrgID, Slug: p.s.Slug, Changed: changed})
	return nil
}

// Delete ends the product. It is for the store to remove it; its slug is never given away.
func (p *Product) Delete() {
	p.Raise(Deleted{ProductID: p.s.ID, OrgID: p.s.OrgID, Slug: p.s.Slug})
}
