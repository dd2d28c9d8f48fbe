// Package devices implements the family DEVICE: remembered devices, which need no
// second factor.
package devices

import (
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Devices  signin.Devices
	Sessions people.Sessions
	Users    people.Users
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory signin.DeviceDirectory
	Users     people.UserDirectory
	Policies  account.Policies
	Clock     outbound.Clock
	IDs       outbound.IDs
	Random    outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.trust(),
		s.revoke(),
	}
}

// Device is a remembered device in results.
type Device struct {
	ID         device.ID   `json:"id" doc:"ID of the remembered device."`
	Name       device.Name `json:"name" doc:"Name given by the owner. Empty if none."`
	Device     string      `json:"device" doc:"Browser and operating system, derived from the user agent. Empty if neither is recognized." jsonschema:"example=Firefox on Windows"`
	UserAgent  string      `json:"user_agent" doc:"User agent of the client that asked to remember the device."`
	IP         string      `json:"ip" doc:"IP address that the request came from."`
	CreatedAt  time.Time   `json:"created_at" doc:"When the device was remembered."`
	LastUsedAt *time.Time  `json:"last_used_at" doc:"When the device last skipped the second factor. Null if never."`
	ExpiresAt  time.Time   `json:"expires_at" doc:"When the device stops being remembered."`
}

func show(s device.Snapshot) Device {
	return Device{
		ID: s.ID, Name: s.Name, Device: device.Describe(s.UserAgent), UserAgent: s.UserAgent, IP: s.IP,
		CreatedAt: s.CreatedAt, LastUsedAt: view.Time(s.LastUsedAt), ExpiresAt: s.ExpiresAt,
	}
}

// owns reports whether a device is the caller's own; an app has none.
func owns(c access.Caller, d *device.Device) bool {
	return c.Kind != access.App && d.OwnedBy(c.User)
}
