package workspace

import "gatehouse.internal/domain/fault"

// The most that one workspace may have of its own.
const (
	MaxGroups      = 1000
	MaxRoles       = 200
	MaxPermissions = 500
)

// OverQuota returns the error of exceeding a quota: most is the limit by the setting,
// and relief what the caller may do.
func OverQuota(most int, thing, relief, setting string) error {
	return fault.LimitReached(thing, most, relief+", or ask a superadmin to raise "+setting)
}
