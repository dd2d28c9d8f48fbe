package licenses

import "gatehouse.internal/domain/license"

// ReasonParams are the parameters of what somebody does to a license for a reason.
type ReasonParams struct {
	LicenseID license.ID `json:"license_id" doc:"ID of the license."`
	Reason    string     `json:"reason,omitzero" doc:"Reason for the change. The owner of the license can read it." jsonschema:"maxLength=500"`
}

// Params name a license.
type Params struct {
	LicenseID license.ID `json:"license_id" doc:"ID of the license."`
}
