package registering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// Errors of documents. The first is returned for any problem with an address, so that
// it reveals nothing about internal servers.
var (
	errDocument = fault.New(fault.Validation, "invalid_client: client_id is an address that gives no description of a client: see the log")
	errElse     = fault.New(fault.Validation, "invalid_client: the document at client_id describes another client: its client_id must be that address")
	errShared   = fault.New(fault.Validation, "invalid_client: the client that a document describes has no secret: token_endpoint_auth_method must be none or private_key_jwt")
	errTooFast  = fault.New(fault.RateLimited, "too many addresses are given as client_id: come again in a minute")
)

// Documents finds clients by their client_id, including those described by a metadata
// document (OAuth Client ID Metadata Document,
// draft-ietf-oauth-client-id-metadata-document).
//
// # Decision: a client with a metadata document is stored as an app on the first
// consent
//
// Context: consents, grants and tokens belong to apps, and requests with arbitrary
// addresses must not make the store grow.
//
// Choice: before a consent, the client exists in memory only, with an identifier
// derived from the address. With the consent the app is stored, and it is updated from
// its document on each later authorization request. The token endpoint, which reads
// apps, treats it like any other.
//
// What would change our mind: clients that ask for tokens without a person.
type Documents struct {
	// Clients are those that are stored.
	Clients  machines.Clients
	Unit     outbound.Unit[Repos]
	Fetcher  outbound.DocumentFetcher
	Reader   Reader
	Instance *instance.Current
	Clock    outbound.Clock
	Logger   *slog.Logger

	kept kept
}

// BySlug returns that of machines.Clients. It fails with a validation fault for an address that does
// not describe a client.
func (d *Documents) BySlug(ctx context.Context, slug, audience string) (outbound.Client, error) {
	if !app.IsDocument(slug) {
		return d.Clients.BySlug(ctx, slug, audience)
	}
	if !d.Instance.State().Settings.ClientMetadataDocuments {
		return outbound.Client{}, app.ErrNotFound
	}
	if d.Reader.Guard.Check(slug) != nil {
		return outbound.Client{}, app.ErrNotFound
	}
	as, err := d.described(ctx, slug)
	if err != nil {
		return outbound.Client{}, err
	}
	found, err := d.Clients.BySlug(ctx, slug, audience)
	if errors.Is(err, app.ErrNotFound) {
		return d.stranger(ctx, as, audience)
	}
	found.App = found.App.Described(as)
	return found, err
}

// stranger returns a client that no person has let in yet.
func (d *Documents) stranger(ctx context.Context, as app.Snapshot, audience string) (outbound.Client, error) {
	found := outbound.Client{App: as}
	err := d.Unit.Do(ctx, func(tx Repos) error {
		var err error
		if found.App.OrgID, err = tx.Home(ctx, d.Instance.State()); err != nil || audience == "" {
			return err
		}
		found.Audience, _, err = tx.Resources.Holder(ctx, audience)
		return err
	})
	return found, err
}

// described returns the client of an address as its document describes it.
func (d *Documents) described(ctx context.Context, address string) (app.Snapshot, error) {
	one, err := d.kept.take(address, d.Clock.Now(), func(one *description) { go d.fetch(context.WithoutCancel(ctx), address, one) })
	if err != nil {
		return app.Snapshot{}, err
	}
	select {
	case <-one.done:
		return one.as, one.err
	case <-ctx.Done():
		return app.Snapshot{}, ctx.Err()
	}
}

// fetch fills a description, whatever becomes of it.
func (d *Documents) fetch(ctx context.Context, address string, one *description) {
	defer close(one.done)
	defer func() {
		if p := recover(); p != nil {
			one.err = fmt.Errorf("the fetch panicked: %v", p)
		}
	}()
	raw, keep, err := d.Fetcher.Document(ctx, address)
	if err != nil {
		d.Logger.WarnContext(ctx, "the description of a client could not be fetched", "client_id", address, "cause", err)
		one.err = errDocument
		return
	}
	one.as, one.err = d.read(ctx, address, raw)
	one.until = d.Clock.Now().Add(keep)
}

// read makes an app of a document.
func (d *Documents) read(ctx context.Context, address string, raw []byte) (app.Snapshot, error) {
	var members map[string]jsontext.Value
	if json.Unmarshal(raw, &members) != nil {
		return app.Snapshot{}, errDocument
	}
	var self string
	if json.Unmarshal(members["client_id"], &self) != nil || self != address {
		return app.Snapshot{}, errElse
	}
	m, err := metadataOf(members)
	if err != nil {
		return app.Snapshot{}, err
	}
	switch m.AuthMethod {
	case "":
		m.AuthMethod = app.AuthNone
	case app.AuthNone, app.AuthSigned:
	default:
		return app.Snapshot{}, errShared
	}
	sector, err := d.Reader.fetchSector(ctx, string(m.SectorURI))
	if err != nil {
		return app.Snapshot{}, err
	}
	r, err := d.Reader.Registration(m, sector, app.ByDocument)
	if err != nil {
		return app.Snapshot{}, err
	}
	r.GrantTypes = slices.DeleteFunc(r.GrantTypes, func(g app.GrantType) bool { return g != app.AuthorizationCode && g != app.RefreshToken })
	r.ID, r.Slug = app.DocumentID(address), address
	made, err := app.Register(r, d.Clock.Now())
	if err != nil {
		return app.Snapshot{}, err
	}
	return made.Snapshot(), nil
}

// metadataOf reads those members of a document that mean something here, as strictly as those of
// a client that registers itself.
func metadataOf(members map[string]jsontext.Value) (Metadata, error) {
	described := schema.Of(reflect.TypeFor[Metadata]())
	var known struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(described.JSON(), &known); err != nil {
		return Metadata{}, fmt.Errorf("read the schema of descriptions: %w", err)
	}
	for name, value := range members {
		if _, means := known.Properties[name]; !means || value.Kind() == 'n' || string(value) == `""` {
			delete(members, name)
		}
	}
	if members["client_name"] == nil {
		members["client_name"] = jsontext.Value(`"` + app.Unnamed + `"`)
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return Metadata{}, errDocument
	}
	if complaints := described.Validate(raw); len(complaints) > 0 {
		return Metadata{}, fault.Refuse(complaints...)
	}
	var m Metadata
	err = strictjson.Decode(raw, &m)
	return m, err
}
