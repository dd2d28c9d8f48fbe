package product

import (
	"regexp"
	"strings"

	"gatehouse.internal/domain/id"
)

type idKind struct{}

func (idKind) Prefix() string { return "prd" }

// ID identifies a product.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

type policyKind struct{}

func (policyKind) Prefix() string { return "lpo" }

// PolicyID identifies the terms that licenses of a product are issued from.
type PolicyID = id.ID[policyKind]

// NewPolicyID mints an identifier of a license policy.
func NewPolicyID(m id.Minter) PolicyID { return id.New[policyKind](m) }

// maxSlug is the most characters of a slug.
const maxSlug = 64

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`)

// Slug is the name of a product for programs. It is unique on the instance, and never
// reused.
type Slug string

// SchemaFragment describes the slug in a JSON Schema.
func (Slug) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 2, "maxLength": maxSlug, "pattern": slugForm.String(), "examples": []any{"drafting-table"},
	}
}

// Ref names a product by its identifier or its slug: one holds an underscore, the other
// never does.
type Ref string

// SchemaFragment describes the reference in a JSON Schema.
func (Ref) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 2, "maxLength": maxSlug, "pattern": `^(prd_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z0-9][a-z0-9-]*[a-z0-9])$`,
		"examples": []any{"prd_01jd7x9k2mf3q8v5t0abcdefgh"},
	}
}

// Processor is the payment processor of a product, or empty.
type Processor string

// SchemaFragment describes the processor in a JSON Schema.
func (Processor) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{"stripe", "paddle", "polar", "paypal", "mollie"}}
}

// IsID reports whether the reference is an identifier, and no slug.
func (r Ref) IsID() bool { return strings.Contains(string(r), "_") }
