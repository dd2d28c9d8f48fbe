// Package device holds the devices that a person told us to remember: a login
// from one of them needs no second factor until it ends (spec/commands DEVICE).
package device

import "gatehouse.internal/domain/id"

type idKind struct{}

func (idKind) Prefix() string { return "dev" }

// ID identifies a remembered device.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }
