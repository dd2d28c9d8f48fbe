package external

import (
	"maps"
	"reflect"

	"gatehouse.internal/domain/fault"
)

// Refusals of application data.
var (
	ErrLarge  = fault.Unfit("/metadata_json", "must not exceed 16 KiB in total, as compact JSON")
	ErrDeep   = fault.Unfit("/metadata_json", "must not be nested more than 8 levels deep")
	ErrNumber = fault.Unfit("/metadata_json", "must not contain numbers beyond ±9,007,199,254,740,991, which would be rounded: send them as strings")
)

// Merge applies a JSON merge patch (RFC 7396) to the application's data. It fails with
// ErrLarge, ErrDeep or ErrNumber if the result exceeds the limits.
func Merge(data, patch map[string]any) (map[string]any, error) {
	merged := merge(data, patch)
	switch {
	case Rounded(patch):
		return nil, ErrNumber
	case Depth(merged) > MaxDepth:
		return nil, ErrDeep
	case Size(merged) > MaxBytes:
		return nil, ErrLarge
	}
	return merged, nil
}

// Same reports whether two records hold the same; none is like an empty one.
func Same(a, b map[string]any) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
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
