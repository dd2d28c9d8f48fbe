package user

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"gatehouse.internal/domain/fault"
)

// The bounds of an application's data about one account.
const (
	MaxMetadataBytes = 16 << 10
	MaxMetadataDepth = 8
)

// Refusals of application data.
var (
	ErrMetadataLarge = fault.Unfit("/metadata_json", "must be at most 16 KiB in all, as compact JSON")
	ErrMetadataDeep  = fault.Unfit("/metadata_json", "must not nest deeper than 8 levels")
)

// CheckMetadata holds an application's data against its bounds.
func CheckMetadata(data map[string]any) error {
	if depth(data) > MaxMetadataDepth {
		return ErrMetadataDeep
	}
	var encoded bytes.Buffer
	writer := json.NewEncoder(&encoded)
	writer.SetEscapeHTML(false)
	const newline = 1
	if err := writer.Encode(data); err != nil || encoded.Len()-newline > MaxMetadataBytes {
		return ErrMetadataLarge
	}
	return nil
}

func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}

// MergeMetadata applies a JSON merge patch (RFC 7396) to the application's
// data. A patch that changes nothing raises nothing; one whose outcome is out of
// bounds fails with ErrMetadataLarge or ErrMetadataDeep and changes nothing.
func (u *User) MergeMetadata(patch map[string]any, now time.Time) error {
	merged := merge(u.s.Metadata, patch)
	if err := CheckMetadata(merged); err != nil {
		return err
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
