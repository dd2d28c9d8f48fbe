package licences

import "gatehouse.internal/domain/licence"

// ReasonParams are the parameters of what somebody does to a licence for a reason.
type ReasonParams struct {
	LicenseID licence.ID `json:"license_id" doc:"The licence."`
	Reason    string     `json:"reason,omitzero" doc:"Why; its owner reads it." jsonschema:"maxLength=500"`
}

// Params name a licence.
type Params struct {
	LicenseID licence.ID `json:"license_id" doc:"The licence."`
}
