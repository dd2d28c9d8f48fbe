package invitation

import "gatehouse.internal/domain/id"

type idKind struct{}

func (idKind) Prefix() string { return "inv" }

// ID identifies an invitation.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }
