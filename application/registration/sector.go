package registration

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/fault"
)

// Errors of sectors (OpenID Connect Registration section 5).
var (
	errSector       = fault.Unfit("/sector_identifier_uri", "must be an https URL that is reachable from the internet and returns a JSON array of redirect URIs")
	errSectorDryRun = fault.Unfit("/sector_identifier_uri", "cannot be fetched in a dry run: omit dry_run")
	errOutsiders    = fault.Unfit("/sector_identifier_uri", "must list all redirect URIs of the client: add the missing ones to the document")
)

// Sector is the list of redirect addresses at a sector_identifier_uri. The zero value is
// no sector.
type Sector struct {
	uri    string
	listed []string
}

// Sector fetches the list of a sector_identifier_uri, for a command. No transaction stays
// open meanwhile.
func (r Reader) Sector(ctx context.Context, uri string, dryRun bool) (found Sector, err error) {
	switch {
	case uri == "":
		return Sector{}, nil
	case dryRun:
		return Sector{}, errSectorDryRun
	}
	err = r.Transactions.Pause(ctx, func() (err error) {
		found, err = r.fetchSector(ctx, uri)
		return err
	})
	return found, err
}

func (r Reader) fetchSector(ctx context.Context, uri string) (Sector, error) {
	found := Sector{uri: uri}
	if uri == "" {
		return found, nil
	}
	if r.Guard.Check(uri) != nil {
		return Sector{}, errSector
	}
	raw, _, err := r.Documents.Document(ctx, uri)
	if err != nil || json.Unmarshal(raw, &found.listed) != nil {
		return Sector{}, errSector
	}
	return found, nil
}

// Covers fails with a validation fault for redirect addresses outside the sector.
func (s Sector) Covers(redirects []string) error {
	outside := func(one string) bool { return !slices.Contains(s.listed, one) }
	if s.uri != "" && slices.ContainsFunc(redirects, outside) {
		return errOutsiders
	}
	return nil
}
