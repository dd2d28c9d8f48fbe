package user

import (
	"maps"
	"reflect"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/foreign"
)

// Refusals of application data.
var (
	ErrMetadataLarge  = fault.Unfit("/metadata_json", "must be at most 16 KiB in all, as compact JSON")
	ErrMetadataDeep   = fault.Unfit("/metadata_json", "must not nest deeper than 8 levels")
	ErrMetadataNumber = fault.Unfit("/metadata_json", "must hold no number beyond ±9007199254740991, which would be rounded: send it as a text")
)

// MergeMetadata applies a JSON merge patch (RFC 7396) to the application's
// data. A patch that changes nothing raises nothing; one whose outcome is out of
// the bounds of package foreign fails with ErrMetadataLarge, ErrMetadataDeep or
// ErrMetadataNumber and changes nothing.
func (u *User) MergeMetadata(patch map[string]any, now time.Time) error {
	merged := merge(u.s.Metadata, patch)
	switch {
	case foreign.Rounded(patch):
		return ErrMetadataNumber
	case foreign.Depth(merged) > foreign.MaxDepth:
		return ErrMetadataDeep
	case foreign.Size(merged) > foreign.MaxBytes:
		return ErrMetadataLarge
	}
	if len(merged) == len(u.s.Metadata) && (len(merged) == 0 || reflect.DeepEqual(merged, u.s.Metadata)) {
		return nil
	}
	u.s.Metadata = merged
	u.updated([]string{"metadata_json"}, now)
	return nil
}

func merge(target, patch map[string]any) map[string]any {
	merged := maps.Clone(target)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range patch {
		if value == nil {
			delete(merged, key)
			continue
		}
		nested, isObject := value.(map[string]any)
		if !isObject {
			merged[key] = value
			continue
		}
		inner, _ := merged[key].(map[string]any)
		merged[key] = merge(inner, nested)
	}
	return merged
}
