package registration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// Errors of documents. The first is returned for any problem with an address, so that
// it reveals nothing about internal servers.
var (
	errDocument = fault.New(fault.Validation, "invalid_client: no client metadata document could be read from the URL in client_id: see the server log")
	errElse     = fault.New(fault.Validation, "invalid_client: client_id in the client metadata document must be the URL of the document")
	errShared   = fault.New(fault.Validation, "invalid_client: token_endpoint_auth_method in the client metadata document must be none or private_key_jwt")
	errTooFast  = fault.New(fault.RateLimited, "too many unknown URLs as client_id: wait until the time in Retry-After has passed")
)

// addressMost is how many documents of unknown clients one address may have fetched in a
// minute.
const addressMost = 30

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
	// Limits counts the fetches by the address that asked for them.
	Limits  outbound.Admission
	Blinder outbound.Blinder
	Clock   outbound.Clock
	Logger  *slog.Logger

	kept documentCache
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
	found, err := d.Clients.BySlug(ctx, slug, audience)
	isStored := err == nil
	if err != nil && !errors.Is(err, app.ErrNotFound) {
		return outbound.Client{}, err
	}
	as, err := d.described(ctx, slug, isStored)
	if err != nil {
		return outbound.Client{}, err
	}
	if !isStored {
		return d.stranger(ctx, as, audience)
	}
	found.App = found.App.Described(as)
	return found, nil
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

// described returns the client of an address as its document describes it. Only documents of
// clients that are neither stored nor were fetched before count against the limits, so that
// nobody blocks known clients with addresses that are made up. It fails with errTooFast.
func (d *Documents) described(ctx context.Context, address string, isStored bool) (app.Snapshot, error) {
	one, err := d.take(ctx, address, isStored)
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

// take returns the description of an address, which may still be being fetched.
func (d *Documents) take(ctx context.Context, address string, isStored bool) (*description, error) {
	now := d.Clock.Now()
	one, isKnown := d.kept.find(address, now)
	if one != nil {
		return one, nil
	}
	isKnown = isKnown || isStored
	if !isKnown {
		if err := d.count(ctx); err != nil {
			return nil, err
		}
	}
	return d.kept.take(address, now, isKnown, func(one *description) { go d.fetch(context.WithoutCancel(ctx), address, one) })
}

// count counts a fetch for the client's address. It fails with errTooFast.
func (d *Documents) count(ctx context.Context) error {
	from, _ := netip.ParseAddr(event.OriginOf(ctx).IP) // without an address, all share one limit
	answer, err := d.Limits.Admit(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{{
		Key:  throttle.Key(d.Blinder, "client documents", limit.IP, limit.Subject(from)),
		Rule: limit.Rule{Limit: addressMost, Window: time.Minute},
	}}})
	if err != nil {
		return fmt.Errorf("count fetches of client documents: %w", err)
	}
	if verdict := answer.Verdicts[0]; !verdict.Allowed {
		return tooFast(verdict.RetryAfter)
	}
	return nil
}

// tooFast returns errTooFast with the time after which to try again.
func tooFast(after time.Duration) error {
	refusal := *errTooFast
	refusal.RetryAfter = after
	return &refusal
}

// fetch fills a description, whatever becomes of it.
func (d *Documents) fetch(ctx context.Context, address string, one *description) {
	defer close(one.done)
	defer d.kept.settle(address, one)
	defer func() {
		if p := recover(); p != nil {
			one.err = fmt.Errorf("the fetch panicked: %v", p)
		}
	}()
	raw, keep, err := d.Fetcher.Document(ctx, address)
	if err != nil {
		d.Logger.WarnContext(ctx, "failed to fetch a client metadata document", "client_id", address, "cause", err)
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
		return Metadata{}, fmt.Errorf("read the schema of client metadata: %w", err)
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
