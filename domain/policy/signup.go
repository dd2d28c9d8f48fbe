package policy

import (
	"slices"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
)

// ErrDomain is returned for an address of a domain that may not register.
var ErrDomain = fault.Invalid("/email", "sign-up is not allowed for this email domain")

// ErrInstanceOnly is returned for a policy of a workspace that exists for the instance only.
var ErrInstanceOnly = fault.Invalid("/org_id", "the signup policy applies to the whole instance: omit org_id")

// Signup is which addresses may make an account by themselves, or be taken by the
// person of one (USER.CHANGE_EMAIL). Nobody belongs to a
// workspace yet when it is asked, so it is the instance's alone.
type Signup struct {
	AllowedDomains []email.Domain `json:"allowed_domains" doc:"Domains whose addresses can sign up, or be changed to by their owners. Empty to allow all domains that are not blocked. Subdomains are not included. With a non-empty list, an account whose address is not verified can only verify it." jsonschema:"maxItems=1000"`
	BlockedDomains []email.Domain `json:"blocked_domains" doc:"Domains whose addresses can neither sign up nor be changed to, even if they are allowed. Subdomains are not included." jsonschema:"maxItems=1000"`
}

// MustVerify reports whether an account may do nothing before its address is verified:
// if only some domains are admitted, an unverified address does not count.
func (s Signup) MustVerify(verified bool) bool { return len(s.AllowedDomains) > 0 && !verified }

// Admit fails with ErrDomain unless an address may register.
func (s Signup) Admit(address email.Address) error {
	of := address.Domain()
	allowed := len(s.AllowedDomains) == 0 || slices.Contains(s.AllowedDomains, of)
	if !allowed || slices.Contains(s.BlockedDomains, of) {
		return ErrDomain
	}
	return nil
}
