package signin

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound/signin"
)

// setupRow is the setup of a provider as it is stored; its content is always sealed.
type setupRow struct {
	Provider social.Provider `db:"provider"`
	Content  string          `db:"content"`
	Version  int64           `db:"version"`
}

// setupDocument is the content of a setup; absent fields were not set.
type setupDocument struct {
	ClientID     *string   `json:"client_id,omitzero"`
	ClientSecret *string   `json:"client_secret,omitzero"`
	Scopes       *[]string `json:"scopes,omitzero"`
	Enabled      *bool     `json:"enabled,omitzero"`
	AllowSignup  *bool     `json:"allow_signup,omitzero"`
}

// setupQuery reads all setups.
const setupQuery = `SELECT provider, content, version FROM social_providers`

func overridesOf(store *sqlstore.Store, r setupRow) (social.Overrides, error) {
	content, err := store.Secrets().Open(r.Content, sqlstore.Place("social_providers", "content", string(r.Provider)))
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

// SocialSetups returns the repository of the settings of social providers.
func SocialSetups(tx *sqlstore.Tx) signin.SocialSetups { return socialSetups{tx} }

type socialSetups struct{ tx *sqlstore.Tx }

// ByProvider reads the setup of a provider.
func (r socialSetups) ByProvider(ctx context.Context, p social.Provider) (*social.Setup, error) {
	var found []setupRow
	if err := r.tx.List(ctx, &found, setupQuery+` WHERE provider = ?`, string(p)); err != nil {
		return nil, fmt.Errorf("read the setup of %s: %w", p, err)
	}
	if len(found) == 0 {
		return social.Unset(p), nil
	}
	set, err := overridesOf(r.tx.Store(), found[0])
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
	sealed := r.tx.Store().Secrets().Seal(string(content), sqlstore.Place("social_providers", "content", name))
	if err := r.tx.Save(ctx, "social_providers", sqlstore.Row{{"provider", name}}, sqlstore.Row{{"content", sealed}}, s); err != nil {
		return fmt.Errorf("save the setup of %s: %w", name, err)
	}
	return nil
}

// SocialDirectory returns the directory of the settings of social providers.
func SocialDirectory(store *sqlstore.Store) signin.SocialDirectory { return socialDirectory{store} }

type socialDirectory struct{ store *sqlstore.Store }

// Overrides reads all settings, except for those of providers that this release does not know.
func (d socialDirectory) Overrides(ctx context.Context) (map[social.Provider]social.Overrides, error) {
	var found []setupRow
	if err := d.store.Reader(ctx).List(ctx, &found, setupQuery); err != nil {
		return nil, fmt.Errorf("read the setups of providers: %w", err)
	}
	all := make(map[social.Provider]social.Overrides, len(found))
	for _, one := range found {
		if !one.Provider.Known() {
			continue
		}
		set, err := overridesOf(d.store, one)
		if err != nil {
			return nil, err
		}
		all[one.Provider] = set
	}
	return all, nil
}
