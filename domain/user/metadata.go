package user

import (
	"time"

	"gatehouse.internal/domain/external"
)

// MergeMetadata applies a JSON merge patch (RFC 7396) to the application's data. A
// patch that changes nothing raises nothing; it fails like external.Merge, and changes
// nothing then.
func (u *User) MergeMetadata(patch map[string]any, now time.Time) error {
	merged, err := external.Merge(u.s.Metadata, patch)
	if err != nil || external.Same(merged, u.s.Metadata) {
		return err
	}
	u.s.Metadata = merged
	u.updated([]string{"metadata_json"}, now)
	return nil
}
