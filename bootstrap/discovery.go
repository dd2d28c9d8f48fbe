package bootstrap

import (
	"bytes"
	"context"
	"time"

	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// discovery implements inbound.Discovery.
type discovery struct {
	instance  *instance.Current
	admission outbound.Admission
	clock     outbound.Clock
	redirects machines.Redirects
	issuer    string
	kinds     *kinds.Catalog
}

func (p *parts) discovery() *discovery {
	return &discovery{
		instance: p.instance, admission: p.store.Admission(), clock: p.clock, redirects: machinesstore.Redirects(p.store),
		issuer: p.config.ServiceHost, kinds: p.kinds,
	}
}

// Time limits of the store for requests of allowed origins and of keys.
const (
	originsWithin = 500 * time.Millisecond
	keysWithin    = 2 * time.Second
)

// current returns the configuration in the store, or the last known one if the store
// does not respond in time.
func (d *discovery) current(ctx context.Context, within time.Duration) *instance.State {
	return d.instance.Latest(ctx, d.admission, within)
}

// published returns the keys in use. While the store is down, the last known keys stay
// valid, since nothing rotates them, and others can verify tokens.
func (d *discovery) published(ctx context.Context) []crypt.SigningKey {
	return d.current(ctx, keysWithin).Keys.Published(d.clock.Now())
}

// JWKS returns the JSON Web Key Set (RFC 7517 section 5).
func (d *discovery) JWKS(ctx context.Context) []byte {
	keys := d.published(ctx)
	members := make([][]byte, 0, len(keys))
	for _, key := range keys {
		members = append(members, key.PublicJWK())
	}
	return append(append([]byte(`{"keys":[`), bytes.Join(members, []byte(","))...), `]}`...)
}

// Abilities returns what the settings enable.
func (d *discovery) Abilities(ctx context.Context) inbound.Abilities {
	state := d.current(ctx, keysWithin)
	return inbound.Abilities{
		RegistersClients: state.Settings.RegistersClients(), ClientDocuments: state.Settings.ClientMetadataDocuments,
	}
}

// Kinds describes all event kinds.
func (d *discovery) Kinds() []inbound.KindDescriptor { return d.kinds.Describe() }

// Kind describes an event kind, or returns false if it is unknown.
func (d *discovery) Kind(name event.Kind) (inbound.KindDescriptor, bool) { return d.kinds.Find(name) }

// Issuer returns the public address of the instance.
func (d *discovery) Issuer() string { return d.issuer }

// ClientOrigin reports whether an enabled app has a redirect URL at an origin; false if
// the store does not respond in time.
func (d *discovery) ClientOrigin(ctx context.Context, origin string) bool {
	if origin == setting.AnyOrigin || !setting.ValidOrigin(origin) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, originsWithin)
	defer cancel()
	known, err := d.redirects.At(ctx, origin)
	return known && err == nil
}

// TakesStrangers reports whether clients may come that nobody registered.
func (d *discovery) TakesStrangers(ctx context.Context) bool {
	return d.current(ctx, originsWithin).Settings.TakesStrangers()
}

// AllowedOrigins returns the origins whose pages may call the service.
func (d *discovery) AllowedOrigins(ctx context.Context) []string {
	return d.current(ctx, originsWithin).Settings.CORSOrigins
}
