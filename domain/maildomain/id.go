package maildomain

import "gatehouse.internal/domain/id"

type idKind struct{}

func (idKind) Prefix() string { return "dom" }

// ID identifies a claimed domain.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }
