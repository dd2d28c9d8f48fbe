package workspace

import (
	"fmt"

	"gatehouse.internal/domain/fault"
)

// The most that one workspace may have of its own.
const (
	MaxGroups      = 1000
	MaxRoles       = 200
	MaxPermissions = 500
)

// OverQuota returns the error of exceeding a quota: most is the limit by the setting,
// and relief what the caller may do.
func OverQuota(most int, things, relief, setting string) error {
	return fault.New(fault.Validation, fmt.Sprintf(
		"the workspace has %d %s, which is the most it may have: %s, or ask a superadmin to raise the setting %s", most, things, relief, setting))
}
