// Package audience decides whether an app may have tokens for an audience, and with
// which scopes. The caller reads the owner of the audience.
package audience

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound/machines"
)

// Refusals to register an API.
var (
	errMalformed   = fault.Unfit("/identifier", "must be an absolute URI without a fragment (RFC 8707), or a name")
	errIssuer      = fault.Unfit("/identifier", "must not be an address of this service")
	errOwnAddress  = fault.New(fault.Validation, "invalid_target: this address belongs to this service and is not an API that tokens are issued for")
	errSuperadmins = fault.New(fault.Denied,
		"a workspace can only register audiences under its verified domains: verify the domain with TEAM.DOMAIN_VERIFY, or ask a superadmin to register the audience")
)

// Rules are those of the instance.
type Rules struct {
	Instance *instance.Current
	// Issuer is the public address of the instance, which is an audience of its own: this
	// service.
	Issuer string
	// Endpoints are the paths at which it is called, by which clients name it too (RFC 9728
	// section 3.3).
	Endpoints []string
	Directory machines.ResourceDirectory
}

// Target returns the requested audience, empty for this service.
func (r *Rules) Target(asked string) string {
	if r.own(asked) {
		return ""
	}
	return asked
}

// own reports whether an identifier is the issuer, which libraries of URLs write with an empty
// path as with / (RFC 3986 section 6.2.3), or one of its endpoints.
func (r *Rules) own(identifier string) bool {
	rest, below := strings.CutPrefix(identifier, r.Issuer)
	return below && (rest == "" || rest == "/" || slices.Contains(r.Endpoints, rest))
}

// beneath reports whether an identifier is an address at or under the issuer, in any
// spelling: what is there is this service's, and belongs to no workspace.
func (r *Rules) beneath(identifier string) bool {
	issuer, err := url.Parse(r.Issuer)
	if err != nil {
		return false
	}
	asked, err := url.Parse(identifier)
	if err != nil || asked.Host == "" || hostOf(asked) != hostOf(issuer) {
		return false
	}
	base := strings.TrimSuffix(issuer.Path, "/")
	at := path.Clean("/" + asked.Path)
	return at == path.Clean("/"+base) || strings.HasPrefix(at, base+"/")
}

// hostOf returns the host of an address without a default port. It is the same for http
// and https, which are the same service.
func hostOf(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if port := strings.TrimLeft(u.Port(), "0"); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return host
}

// Registrable fails if a caller may not register an API under an identifier, or if that could not
// be asked for as a resource: it has a fragment (RFC 8707 section 2) or is malformed. The issuer
// and what is under it is this service, and if the settings require registration, only superadmins may
// register, and workspaces under their verified domains.
func (r *Rules) Registrable(ctx context.Context, caller access.Caller, identifier string) error {
	if _, err := url.Parse(identifier); err != nil || strings.Contains(identifier, "#") {
		return errMalformed
	}
	if r.beneath(identifier) {
		return errIssuer
	}
	if !r.Instance.State().Settings.RegisteredAudiences() || caller.Superadmin {
		return nil
	}
	owner, err := r.Directory.DomainOwner(ctx, identifier)
	if err == nil && owner != caller.Org {
		err = errSuperadmins
	}
	return err
}

// Admit decides whether an app may have tokens for a target; held is its owner, nil for
// none. It fails with a validation fault that begins with invalid_target and names the
// person to contact.
func (r *Rules) Admit(ctx context.Context, target string, held *resource.Audience, of app.Snapshot) error {
	if target == "" {
		return nil
	}
	if held == nil && r.beneath(target) {
		return errOwnAddress
	}
	registered, err := r.RegisteredOnly(ctx, held)
	if err != nil {
		return err
	}
	return r.AdmitTo(held, registered, of)
}

// NoURI is why a resource is refused that cannot be one.
const NoURI = "resource must be an absolute URI without a fragment, or the slug of a known API"

// ErrNoURI is returned for a resource that cannot be one.
var ErrNoURI = fault.New(fault.Validation, "invalid_target: "+NoURI)

// AdmitResource is like Admit for the parameter resource, which is an absolute URI without a
// fragment (RFC 8707 section 2), or known by another name. It fails with ErrNoURI.
func (r *Rules) AdmitResource(ctx context.Context, target string, held *resource.Audience, of app.Snapshot) error {
	if target != "" && held == nil {
		at, err := url.Parse(target)
		if err != nil || !at.IsAbs() || strings.Contains(target, "#") {
			return ErrNoURI
		}
	}
	return r.Admit(ctx, target, held, of)
}

// RegisteredOnly reports whether only a superadmin can assign an audience: the setting
// requires it, and it was not registered by a workspace under its verified domain.
func (r *Rules) RegisteredOnly(ctx context.Context, held *resource.Audience) (bool, error) {
	if !r.Instance.State().Settings.RegisteredAudiences() {
		return false, nil
	}
	if held == nil || held.Origin != resource.ByWorkspace {
		return true, nil
	}
	owner, err := r.Directory.DomainOwner(ctx, held.Name)
	return owner != held.OrgID, err
}

// AdmitTo is like Admit for an audience other than this service; registered is the
// result of RegisteredOnly.
func (r *Rules) AdmitTo(held *resource.Audience, registered bool, of app.Snapshot) error {
	if held == nil {
		if registered {
			return resource.ErrUnregistered
		}
		return nil
	}
	if err := held.Admit(of, registered); err != nil {
		return err
	}
	if signs := r.Instance.State().Keys.Active().Algorithm(); held.SigningAlg != "" && string(held.SigningAlg) != signs {
		return fault.New(fault.Validation, fmt.Sprintf(
			"invalid_target: this API requires tokens signed with %s, but the instance signs with %s: "+
				"change the API with OAUTH.RESOURCE_UPDATE or the signing key with JWT_KEY.ROTATE", held.SigningAlg, signs))
	}
	return nil
}
