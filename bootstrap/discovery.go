package bootstrap

import (
	"bytes"
	"context"
	"time"

	"gatehouse.internal/application/instance"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// discovery is what is published beside the commands.
type discovery struct {
	instance  *instance.Current
	admission outbound.Admission
	clock     outbound.Clock
	issuer    string
	kinds     []inbound.KindDescriptor
}

func (p *parts) discovery() *discovery {
	return &discovery{
		instance: p.instance, admission: p.store.Admission(), clock: p.clock,
		issuer: p.config.ServiceHost, kinds: p.kinds,
	}
}

// originsWithin is how long a page waits to be told whether it may call.
const originsWithin = 500 * time.Millisecond

// current is the configuration as the store has it at this moment.
func (d *discovery) current(ctx context.Context) (*instance.State, error) {
	answer, err := d.admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return nil, err
	}
	return d.instance.At(ctx, answer.Revision)
}

// published are the keys in use.
func (d *discovery) published(ctx context.Context) ([]outbound.SigningKey, error) {
	state, err := d.current(ctx)
	if err != nil {
		return nil, err
	}
	return state.Keys.Published(d.clock.Now()), nil
}

// JWKS is the JSON Web Key Set (RFC 7517 section 5).
func (d *discovery) JWKS(ctx context.Context) ([]byte, error) {
	keys, err := d.published(ctx)
	if err != nil {
		return nil, err
	}
	members := make([][]byte, 0, len(keys))
	for _, key := range keys {
		members = append(members, key.PublicJWK())
	}
	return append(append([]byte(`{"keys":[`), bytes.Join(members, []byte(","))...), `]}`...), nil
}

// SigningAlgorithms are the algorithms of the keys in use, each once.
func (d *discovery) SigningAlgorithms(ctx context.Context) ([]string, error) {
	keys, err := d.published(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	algorithms := []string{}
	for _, key := range keys {
		if !seen[key.Algorithm()] {
			seen[key.Algorithm()] = true
			algorithms = append(algorithms, key.Algorithm())
		}
	}
	return algorithms, nil
}

// Kinds describes every kind of event.
func (d *discovery) Kinds() []inbound.KindDescriptor { return d.kinds }

// Issuer is the public address of the instance.
func (d *discovery) Issuer() string { return d.issuer }

// AllowedOrigins are the origins of pages that may call the service.
func (d *discovery) AllowedOrigins(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, originsWithin)
	defer cancel()
	state, err := d.current(ctx)
	if err != nil {
		state = d.instance.State()
	}
	return state.Settings.CORSOrigins
}
