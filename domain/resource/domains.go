package resource

import (
	"net/url"
	"strings"

	"gatehouse.internal/domain/email"
)

// scheme is that of the audiences that domains decide about.
const scheme = "https"

// Domains lists the domains that an https audience is under, the closest first: its host,
// and all above it. Other audiences are under none.
func Domains(audience string) []email.Domain {
	at, err := url.Parse(audience)
	if err != nil || at.Scheme != scheme {
		return nil
	}
	name, err := email.ParseDomain(strings.TrimSuffix(at.Hostname(), "."))
	if err != nil {
		return nil
	}
	var all []email.Domain
	for rest, more := string(name), true; more; _, rest, more = strings.Cut(rest, ".") {
		all = append(all, email.Domain(rest))
	}
	return all
}

// Yields reports whether the audience may be taken over: its owner has it by first use,
// or with a deleted resource.
func (a *Audience) Yields() bool { return !a.Slug && (a.Origin == "" || a.Origin == FirstUse) }
