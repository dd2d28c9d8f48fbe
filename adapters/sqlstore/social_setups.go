package sqlstore

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound"
)

// setupRow is the setup of a provider as it is stored; its content is always sealed.
type setupRow struct {
	Provider social.Provider `db:"provider"`
	Content  string          `db:"content"`
	Version  int64           `db:"version"`
}

// setupDocument is the content; what is absent was not set.
type setupDocument struct {
	ClientID     *string   `json:"client_id,omitzero"`
	ClientSecret *string   `json:"client_secret,omitzero"`
	Scopes       *[]string `json:"scopes,omitzero"`
	Enabled      *bool     `json:"enabled,omitzero"`
	AllowSignup  *bool     `json:"allow_signup,omitzero"`
}

// setupQuery reads all setups.
const setupQuery = `SELECT provider, content, version FROM social_providers`

func (s *Store) overridesOf(r setupRow) (social.Overrides, error) {
	content, err := s.secrets.Open(r.Content, place("social_providers", "content", string(r.Provider)))
	if err != nil {
		return social.Overrides{}, fmt.Errorf("open the setup of %s: %w", r.Provider, err)
	}
	var document setupDocument
	if err := json.Unmarshal([]byte(content), &document); err != nil {
		return social.Overrides{}, fmt.Errorf("decode the setup of %s: %w", r.Provider, err)
	}
	set := social.Overrides{
		ClientID: document.ClientID, Scopes: document.Scopes, Enabled: document.Enabled, AllowSignup: document.AllowSignup,
	}
	if document.ClientSecret != nil {
		kept := secret.New(*document.ClientSecret)
		set.ClientSecret = &kept
	}
	return set, nil
}

// SocialSetups gives what administrators set of the providers.
func (t *Tx) SocialSetups() outbound.SocialSetups { return socialSetups{t} }

type socialSetups struct{ tx *Tx }

// ByProvider reads the setup of a provider.
func (r socialSetups) ByProvider(ctx context.Context, p social.Provider) (*social.Setup, error) {
	var found []setupRow
	if err := r.tx.q.list(ctx, &found, setupQuery+` WHERE provider = ?`, string(p)); err != nil {
		return nil, fmt.Errorf("read the setup of %s: %w", p, err)
	}
	if len(found) == 0 {
		return social.Unset(p), nil
	}
	set, err := r.tx.store.overridesOf(found[0])
	if err != nil {
		return nil, err
	}
	return social.Restore(p, set, found[0].Version), nil
}

// Save stores the setup of a provider.
func (r socialSetups) Save(ctx context.Context, s *social.Setup) error {
	set, name := s.Overrides(), string(s.Provider())
	document := setupDocument{ClientID: set.ClientID, Scopes: set.Scopes, Enabled: set.Enabled, AllowSignup: set.AllowSignup}
	if set.ClientSecret != nil {
		plain := set.ClientSecret.Reveal()
		document.ClientSecret = &plain
	}
	content, err := json.Marshal(document, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the setup of %s: %w", name, err)
	}
	sealed := r.tx.store.secrets.Seal(string(content), place("social_providers", "content", name))
	if err := r.tx.save(ctx, "social_providers", row{{"provider", name}}, row{{"content", sealed}}, s); err != nil {
		return fmt.Errorf("save the setup of %s: %w", name, err)
	}
	return nil
}

// SocialDirectory reads what administrators set of the providers.
func (s *Store) SocialDirectory() outbound.SocialDirectory { return socialDirectory{s} }

type socialDirectory struct{ store *Store }

// Overrides reads all setups. A provider of a newer release is left out.
func (d socialDirectory) Overrides(ctx context.Context) (map[social.Provider]social.Overrides, error) {
	var found []setupRow
	if err := d.store.reader(ctx).list(ctx, &found, setupQuery); err != nil {
		return nil, fmt.Errorf("read the setups of providers: %w", err)
	}
	all := make(map[social.Provider]social.Overrides, len(found))
	for _, one := range found {
		if !one.Provider.Known() {
			continue
		}
		set, err := d.store.overridesOf(one)
		if err != nil {
			return nil, err
		}
		all[one.Provider] = set
	}
	return all, nil
}
