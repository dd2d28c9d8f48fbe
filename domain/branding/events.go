package branding

import "gatehouse.internal/domain/event"

// KindUpdated is the kind of Updated.
const KindUpdated event.Kind = "branding.updated"

// Updated is the content of branding.updated.
type Updated struct {
	OrgID   string   `json:"org_id,omitzero" doc:"ID of the workspace. Omitted for the instance."`
	Changed []string `json:"changed" doc:"Names of the values that were set or reset."`
}

// Kind is branding.updated.
func (Updated) Kind() event.Kind { return KindUpdated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{Summary: "The branding of a workspace or the instance was updated.", Example: Updated{Changed: []string{"colors"}}}}
}
