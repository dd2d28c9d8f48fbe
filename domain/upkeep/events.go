// Package upkeep defines the events of the store's maintenance.
package upkeep

import "gatehouse.internal/domain/event"

// KindPurged is the kind of Purged.
const KindPurged event.Kind = "system.purged"

// Purged is the content of system.purged.
type Purged struct {
	Deleted map[string]int `json:"deleted" doc:"Number of rows removed, by kind of data."`
}

// Kind is system.purged.
func (Purged) Kind() event.Kind { return KindPurged }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{
		{Summary: "A superadmin removed expired data.", Example: Purged{map[string]int{"sessions": 12}}},
	}
}
