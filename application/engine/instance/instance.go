// Package instance holds the configuration of the instance as every request
// sees it: settings, limits, policies and signing keys at one revision. The
// revision is read with each request's session, so that a change made through
// any replica holds on all of them with the next request (contract section 10).
package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/ops"
)

// State is the configuration at one revision; it never changes.
type State struct {
	Revision int64
	Settings setting.Values
	// Stored are the settings that were set, by name.
	Stored   map[string]json.RawMessage
	Policies policy.Set
	// PolicyValues are the instance's values that were set, by kind.
	PolicyValues map[policy.Kind]ops.PolicyValues
	// WorkspacePolicies reports whether there may be workspaces with policies of their own.
	WorkspacePolicies bool
	Keys              Keys
	Spike             loginevent.Spike
	// Maintenance is how much the instance answers.
	Maintenance maintenance.State
	// IPRules are the revisions of the last changes of IP rules.
	IPRules ops.IPRuleMarks
	// Flows are the revisions of the last changes of active flows.
	Flows ops.FlowMarks

	tuned map[string][]ops.TunedLimit
}

// Keys are the signing keys, loaded.
type Keys struct {
	Ring   signingkey.Snapshot
	active crypt.SigningKey
	// signing are the active keys.
	signing map[signingkey.Algorithm]crypt.SigningKey
	byKID   map[string]loadedKey
}

type loadedKey struct {
	key  crypt.SigningKey
	life signingkey.Key
}

// Active returns the key that signs access tokens.
func (k Keys) Active() crypt.SigningKey { return k.active }

// Signing returns the key that signs by an algorithm; nil where none was needed yet. That of EdDSA
// signs license files, and verifies no token.
func (k Keys) Signing(by signingkey.Algorithm) crypt.SigningKey { return k.signing[by] }

// Accepted returns a key whose tokens are valid at a time.
func (k Keys) Accepted(kid string, now time.Time) (crypt.SigningKey, bool) {
	found, ok := k.byKID[kid]
	if !ok || found.life.Algorithm.Files() || !found.life.Accepted(now) {
		return nil, false
	}
	return found.key, true
}

// Published lists the keys of the JWKS: active, next and overlapping.
func (k Keys) Published(now time.Time) []crypt.SigningKey {
	var published []crypt.SigningKey
	for _, life := range k.Ring.Keys {
		if life.Accepted(now) || life.State(now) == signingkey.Next {
			published = append(published, k.byKID[life.KID].key)
		}
	}
	return published
}

// Limits returns the current limits of a command: customized or default ones, and
// additional ones.
func (s *State) Limits(command string, defaults []limit.Spec) []limit.Spec {
	tuned := s.tuned[command]
	if len(tuned) == 0 {
		return defaults
	}
	inForce := slices.Clone(defaults)
	for _, t := range tuned {
		spec := limit.Spec{By: t.By, Rule: t.Rule}
		at := slices.IndexFunc(inForce, func(d limit.Spec) bool { return d.By == t.By })
		if at < 0 {
			inForce = append(inForce, spec)
			continue
		}
		inForce[at] = spec
	}
	return inForce
}

// Tuned returns the customized limits of a command.
func (s *State) Tuned(command string) []ops.TunedLimit { return s.tuned[command] }

// TunedCommands lists the commands that an administrator tuned, in order.
func (s *State) TunedCommands() []string { return slices.Sorted(maps.Keys(s.tuned)) }

// Current is the configuration in force, loaded again when its revision moved.
type Current struct {
	Store ops.Instance
	JOSE  crypt.JOSE
	// Defaults are the settings in the environment.
	Defaults setting.Values

	state   atomic.Pointer[State]
	loading sync.Mutex
}

// State returns the configuration as last seen by this replica.
func (c *Current) State() *State { return c.state.Load() }

// At returns the configuration at a revision or later.
func (c *Current) At(ctx context.Context, revision int64) (*State, error) {
	if state := c.state.Load(); state != nil && state.Revision >= revision {
		return state, nil
	}
	c.loading.Lock()
	defer c.loading.Unlock()
	if state := c.state.Load(); state != nil && state.Revision >= revision {
		return state, nil
	}
	stored, err := c.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the instance's configuration: %w", err)
	}
	state, err := c.build(stored)
	if err != nil {
		return nil, err
	}
	c.state.Store(state)
	return state, nil
}

// Fresh returns the current configuration in the store, for work that does not start
// with a request.
func (c *Current) Fresh(ctx context.Context) (*State, error) { return c.At(ctx, math.MaxInt64) }

// Latest returns the current configuration, or the last one that this replica saw if the
// store does not respond in time. It is for requests that are not admitted.
func (c *Current) Latest(ctx context.Context, admission outbound.Admission, within time.Duration) *State {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, err := admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return c.State()
	}
	state, err := c.At(ctx, answer.Revision)
	if err != nil {
		return c.State()
	}
	return state
}

func (c *Current) build(stored ops.InstanceState) (*State, error) {
	settings, err := Overlay(c.Defaults, stored.Settings)
	if err != nil {
		return nil, fmt.Errorf("read the stored settings: %w", err)
	}
	policies, err := WithPolicies(policy.Defaults(), stored.Policies)
	if err != nil {
		return nil, err
	}
	keys, err := c.load(stored.Keys)
	if err != nil {
		return nil, err
	}
	held, err := maintained(stored.Settings)
	if err != nil {
		return nil, err
	}
	tuned := map[string][]ops.TunedLimit{}
	for _, t := range stored.Limits {
		tuned[t.Command] = append(tuned[t.Command], t)
	}
	return &State{
		Revision: stored.Revision, Settings: settings, Stored: stored.Settings,
		Policies: policies, PolicyValues: stored.Policies, WorkspacePolicies: stored.WorkspacePolicies, Keys: keys, Spike: stored.Spike,
		Maintenance: held, IPRules: stored.IPRules, Flows: stored.Flows, tuned: tuned,
	}, nil
}

// maintained returns the maintenance, which is stored beside the settings.
func maintained(stored map[string]json.RawMessage) (state maintenance.State, err error) {
	if raw := stored[maintenance.Setting]; raw != nil {
		if err = strictjson.Decode(raw, &state); err != nil {
			err = fmt.Errorf("read the stored maintenance: %w", err)
		}
	}
	return state, err
}

func (c *Current) load(ring *signingkey.Ring) (Keys, error) {
	keys := Keys{byKID: map[string]loadedKey{}, signing: map[signingkey.Algorithm]crypt.SigningKey{}}
	if ring == nil {
		return keys, nil
	}
	keys.Ring = ring.Snapshot()
	for _, life := range keys.Ring.Keys {
		key, err := c.JOSE.Load(life.KID, string(life.Algorithm), life.Private)
		if err != nil {
			return Keys{}, fmt.Errorf("load signing key %s: %w", life.KID, err)
		}
		keys.byKID[life.KID] = loadedKey{key: key, life: life}
		if signs, ok := ring.ActiveOf(life.Algorithm); ok && signs.KID == life.KID {
			keys.signing[life.Algorithm] = key
		}
	}
	keys.active = keys.byKID[ring.Active().KID].key
	return keys, nil
}

// Overlay returns a struct with the values that were set put over its own. A
// stored name that this program does not know is another release's and is left alone.
func Overlay[T any, M ~map[string]json.RawMessage](base T, set M) (T, error) {
	whole, err := strictjson.Encode(base)
	if err != nil {
		return base, err
	}
	values := map[string]json.RawMessage{}
	if err := strictjson.Decode(whole, &values); err != nil {
		return base, err
	}
	for name, value := range set {
		if _, known := values[name]; known {
			values[name] = value
		}
	}
	merged, err := strictjson.Encode(values)
	if err != nil {
		return base, err
	}
	var overlaid T
	err = strictjson.Decode(merged, &overlaid)
	return overlaid, err
}

// WithPolicies puts stored policy values over a base.
func WithPolicies(base policy.Set, stored map[policy.Kind]ops.PolicyValues) (policy.Set, error) {
	var err error
	if base.Password, err = Overlay(base.Password, stored[policy.KindPassword]); err != nil {
		return base, fmt.Errorf("read the stored password policy: %w", err)
	}
	if base.Session, err = Overlay(base.Session, stored[policy.KindSession]); err != nil {
		return base, fmt.Errorf("read the stored session policy: %w", err)
	}
	if base.Lockout, err = Overlay(base.Lockout, stored[policy.KindLockout]); err != nil {
		return base, fmt.Errorf("read the stored lockout policy: %w", err)
	}
	if base.MFA, err = Overlay(base.MFA, stored[policy.KindMFA]); err != nil {
		return base, fmt.Errorf("read the stored mfa policy: %w", err)
	}
	if base.Risk, err = Overlay(base.Risk, stored[policy.KindRisk]); err != nil {
		return base, fmt.Errorf("read the stored risk policy: %w", err)
	}
	if base.Signup, err = Overlay(base.Signup, stored[policy.KindSignup]); err != nil {
		return base, fmt.Errorf("read the stored signup policy: %w", err)
	}
	return base, nil
}
