package apps

import (
	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
)

var (
	errPublicKeys = fault.Unfit("/jwks", "is not allowed for public clients (spa or native): they cannot keep a private key")
	errSector     = fault.Unfit("/sector_identifier_uri", "requires redirect_urls, because its document must list them")
)

// publish adds the keys that an app publishes to its registration.
func (s *Service) publish(p RegisterParams, to *app.Registration) (err error) {
	if p.JWKS == nil && p.JWKSURI == "" {
		return nil
	}
	if to.Type.Public() {
		return errPublicKeys
	}
	to.JWKSURI = string(p.JWKSURI)
	to.JWKS, err = s.Registrations.Source(p.JWKS, to.JWKSURI)
	return err
}

// sectorURI returns the sector_identifier_uri that is to be set; empty for none.
func (p RulesParams) sectorURI() string {
	if p.SectorURI == nil {
		return ""
	}
	return string(*p.SectorURI)
}

// within fails with a validation fault if the changed redirect addresses of an app are not
// in its sector.
func within(sector registration.Sector, of app.Snapshot, p UpdateParams) error {
	if p.SectorURI == nil && of.SectorURI != "" && p.RedirectURLs != nil {
		return errSector
	}
	return sector.Covers(of.RedirectURLs)
}
