package dpop

import "gatehouse.internal/domain/id"

type idKind struct{}

func (idKind) Prefix() string { return "dpk" }

// ID identifies a binding.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }
