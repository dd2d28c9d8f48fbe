package device

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of remembered devices.
const (
	KindTrusted event.Kind = "device.trusted"
	KindRevoked event.Kind = "device.revoked"
)

// Trusted is the content of device.trusted.
type Trusted struct {
	DeviceID  ID        `json:"device_id" doc:"ID of the remembered device."`
	UserID    user.ID   `json:"user_id" doc:"Owner of the device."`
	ExpiresAt time.Time `json:"expires_at" doc:"Until when the device skips the second factor."`
}

// Revoked is the content of device.revoked.
type Revoked struct {
	DeviceID ID      `json:"device_id" doc:"ID of the forgotten device."`
	UserID   user.ID `json:"user_id" doc:"Owner of the device."`
}

func (Trusted) Kind() event.Kind { return KindTrusted }
func (Revoked) Kind() event.Kind { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		device = ID("dev_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "A device was remembered, so that sign-ins from it skip the second factor.", Example: Trusted{device, person, time.Date(2026, 12, 21, 10, 0, 0, 0, time.UTC)}},
		{Summary: "A remembered device was forgotten.", Example: Revoked{device, person}},
	}
}
