package workspaces

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// WorkspaceColumns are the columns of a WorkspaceRow.
const WorkspaceColumns = `id, name, slug, personal_of, logo_url, default_role, allowed_methods, metadata,
	disabled_at, disabled_reason, created_at, version`

// WorkspaceRow is a workspace as it is stored; its metadata and the reason why it was disabled are
// sealed.
type WorkspaceRow struct {
	ID             workspace.ID     `db:"id"`
	Name           string           `db:"name"`
	Slug           sql.NullString   `db:"slug"`
	PersonalOf     sql.NullString   `db:"personal_of"`
	LogoURL        string           `db:"logo_url"`
	DefaultRole    string           `db:"default_role"`
	AllowedMethods string           `db:"allowed_methods"`
	Metadata       string           `db:"metadata"`
	DisabledAt     sqlstore.Instant `db:"disabled_at"`
	DisabledWhy    string           `db:"disabled_reason"`
	CreatedAt      sqlstore.Instant `db:"created_at"`
	Version        int64            `db:"version"`
}

// Snapshot decrypts and decodes a stored workspace.
func (r *WorkspaceRow) Snapshot(store *sqlstore.Store) (workspace.Snapshot, error) {
	s := workspace.Snapshot{
		ID: r.ID, Name: r.Name, Slug: workspace.Slug(r.Slug.String), PersonalOf: user.ID(r.PersonalOf.String),
		LogoURL: r.LogoURL, DefaultRole: r.DefaultRole, DisabledAt: r.DisabledAt.Time,
		CreatedAt: r.CreatedAt.Time,
	}
	var err error
	if s.AllowedMethods, err = sqlstore.DecodeList[workspace.Method](r.AllowedMethods); err != nil {
		return s, fmt.Errorf("decode the allowed methods of the workspace %s: %w", r.ID, err)
	}
	open := store.RowOpener("workspaces", r.ID.String())
	metadata := open.Value("metadata", r.Metadata)
	s.DisabledWhy = open.Value("disabled_reason", r.DisabledWhy)
	if open.Err != nil {
		return s, fmt.Errorf("open the workspace %s: %w", r.ID, open.Err)
	}
	if metadata != "" {
		if err := json.Unmarshal([]byte(metadata), &s.Metadata); err != nil {
			return s, fmt.Errorf("decode the metadata of the workspace %s: %w", r.ID, err)
		}
	}
	return workspace.Restore(s, r.Version).Snapshot(), nil
}

// workspaceState returns the columns of a workspace.
func workspaceState(store *sqlstore.Store, s workspace.Snapshot) (sqlstore.Row, error) {
	methods, err := sqlstore.EncodeList(s.AllowedMethods)
	if err != nil {
		return nil, fmt.Errorf("encode the allowed methods of the workspace %s: %w", s.ID, err)
	}
	metadata := ""
	if len(s.Metadata) > 0 {
		encoded, err := json.Marshal(s.Metadata, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the metadata of the workspace %s: %w", s.ID, err)
		}
		metadata = string(encoded)
	}
	seal := store.RowSealer("workspaces", s.ID.String())
	return sqlstore.Row{
		{"name", s.Name},
		{"name_folded", strings.ToLower(s.Name)},
		{"slug", string(s.Slug)},
		{"personal_of", sql.NullString{String: s.PersonalOf.String(), Valid: s.Personal()}},
		{"logo_url", s.LogoURL},
		{"default_role", s.DefaultRole},
		{"allowed_methods", methods},
		{"metadata", seal("metadata", metadata)},
		{"disabled_at", sqlstore.At(s.DisabledAt)},
		{"disabled_reason", seal("disabled_reason", s.DisabledWhy)},
		{"created_at", sqlstore.At(s.CreatedAt)},
	}, nil
}
