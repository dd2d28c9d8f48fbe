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

// discovery is what is published beside the commands.
type discovery struct {
	instance  *instance.Current
	admission outbound.Admission
	clock     outbound.Clock
	redirects machines.Redirects
	issuer    string
	kinds     *kinds.Catalogue
}

func (p *parts) discovery() *discovery {
	return &discovery{
		instance: p.instance, admission: p.store.Admission(), clock: p.clock, redirects: machinesstore.Redirects(p.store),
		issuer: p.config.ServiceHost, kinds: p.kinds,
	}
}

// How long the store has to answer those who wait to be told whether a page may
// call, and which keys hold.
const (
	originsWithin = 500 * time.Millisecond
	keysWithin    = 2 * time.Second
)

// current returns the configuration as the store has it at this moment; the last one
// known when it does not answer in time.
func (d *discovery) current(ctx context.Context, within time.Duration) *instance.State {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, err := d.admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return d.instance.State()
	}
	state, err := d.instance.At(ctx, answer.Revision)
	if err != nil {
		return d.instance.State()
	}
	return state
}

// published returns the keys in use. While the store is down nothing rotates, so that
// the last ones known let others verify tokens meanwhile.
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

// Abilities returns what the settings let the service do.
func (d *discovery) Abilities(ctx context.Context) inbound.Abilities {
	state := d.current(ctx, keysWithin)
	return inbound.Abilities{
		RegistersClients: state.Settings.RegistersClients(), ClientDocuments: state.Settings.ClientMetadataDocuments,
	}
}

// Kinds describes every kind of event.
func (d *discovery) Kinds() []inbound.KindDescriptor { return d.kinds.Describe() }

// Kind describes one kind of event; false when there is none of that name.
func (d *discovery) Kind(name event.Kind) (inbound.KindDescriptor, bool) { return d.kinds.Find(name) }

// Issuer returns the public address of the instance.
func (d *discovery) Issuer() string { return d.issuer }

// ClientOrigin reports whether an enabled app has a redirect URL at an origin; false where the
// store does not answer in time.
func (d *discovery) ClientOrigin(ctx context.Context, origin string) bool {
	if origin == setting.AnyOrigin || !setting.ValidOrigin(origin) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, originsWithin)
	defer cancel()
	known, err := d.redirects.At(ctx, origin)
	return known && err == nil
}

// AllowedOrigins returns the origins of pages that may call the service.
func (d *discovery) AllowedOrigins(ctx context.Context) []string {
	return d.current(ctx, originsWithin).Settings.CORSOrigins
}
