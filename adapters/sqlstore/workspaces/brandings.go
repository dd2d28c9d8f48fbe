package workspaces

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Brandings returns the repository that changes the branding of workspaces and of the instance.
func Brandings(tx *sqlstore.Tx) workspaces.Brandings { return brandings{tx} }

type brandings struct{ tx *sqlstore.Tx }

// brandingRow returns the table and the key of the row that holds the branding of a workspace, or
// of the instance for "".
func brandingRow(org workspace.ID) (table string, id any) {
	if org == "" {
		return "instance", 1
	}
	return "workspaces", org.String()
}

// Get reads the branding that was set, under a lock of its row. It fails with
// workspace.ErrNotFound.
func (r brandings) Get(ctx context.Context, org workspace.ID) (branding.Settings, error) {
	table, id := brandingRow(org)
	var content string
	err := r.tx.One(ctx, &content, workspace.ErrNotFound, `SELECT branding FROM `+table+` WHERE id = ? {for update}`, id)
	if err != nil {
		return branding.Settings{}, err
	}
	return decodeLook(content)
}

// Set stores a branding.
func (r brandings) Set(ctx context.Context, org workspace.ID, look branding.Settings) error {
	content, err := json.Marshal(look)
	if err != nil {
		return fmt.Errorf("encode a look: %w", err)
	}
	table, id := brandingRow(org)
	if _, err := r.tx.Exec(ctx, `UPDATE `+table+` SET branding = ? WHERE id = ?`, string(content), id); err != nil {
		return fmt.Errorf("store a look: %w", err)
	}
	return nil
}

func decodeLook(content string) (look branding.Settings, err error) {
	if content == "" {
		return look, nil
	}
	if err := json.Unmarshal([]byte(content), &look); err != nil {
		return look, fmt.Errorf("decode a look: %w", err)
	}
	return look, nil
}

// InForce reads the branding of the instance overlaid by that of the workspace, within the
// transaction.
func (r brandings) InForce(ctx context.Context, org workspace.ID) (branding.Settings, error) {
	return lookInForce(ctx, r.tx.Queries, "id", org.String())
}

// InForceAt reads the branding of the instance overlaid by that of the workspace of a slug,
// within the transaction.
func (r brandings) InForceAt(ctx context.Context, slug workspace.Slug) (branding.Settings, error) {
	return lookInForce(ctx, r.tx.Queries, "slug", string(slug))
}

// BrandingDirectory returns the directory that reads the branding in force.
func BrandingDirectory(store *sqlstore.Store) workspaces.BrandingDirectory {
	return brandingDirectory{store}
}

type brandingDirectory struct{ store *sqlstore.Store }

// InForce reads the branding of the instance overlaid by that of the workspace.
func (r brandingDirectory) InForce(ctx context.Context, org workspace.ID) (branding.Settings, error) {
	return lookInForce(ctx, r.store.Reader(ctx), "id", org.String())
}

// InForceAt reads the branding of the instance overlaid by that of the workspace of a slug.
func (r brandingDirectory) InForceAt(ctx context.Context, slug workspace.Slug) (branding.Settings, error) {
	return lookInForce(ctx, r.store.Reader(ctx), "slug", string(slug))
}

// lookInForce reads the branding in force of the workspace whose column has a value.
func lookInForce(ctx context.Context, q *sqlstore.Queries, column, value string) (branding.Settings, error) {
	var found []string
	err := q.List(ctx, &found, `
		SELECT content FROM (
			SELECT 1 AS place, branding AS content FROM instance WHERE id = 1
			UNION ALL SELECT 0, branding FROM workspaces WHERE `+column+` = ? AND deleted_at IS NULL
		) AS looks ORDER BY place`, value)
	if err != nil {
		return branding.Settings{}, fmt.Errorf("read the look in force: %w", err)
	}
	var inForce branding.Settings
	for _, content := range found {
		look, err := decodeLook(content)
		if err != nil {
			return branding.Settings{}, err
		}
		inForce = inForce.Over(look)
	}
	return inForce, nil
}
