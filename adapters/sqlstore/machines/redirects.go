package machines

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// saveRedirects replaces the stored redirect URLs of an app.
func saveRedirects(ctx context.Context, tx *sqlstore.Tx, s app.Snapshot) error {
	of := s.ID.String()
	_, err := tx.Exec(ctx, `DELETE FROM app_redirects WHERE app_id = ? AND url NOT IN (SELECT r.url FROM {rows url text})`,
		of, sqlstore.OneColumn(s.RedirectURLs))
	if err != nil {
		return fmt.Errorf("forget redirect URLs of an app: %w", err)
	}
	if len(s.RedirectURLs) == 0 {
		return nil
	}
	listed := make(sqlstore.Rows, len(s.RedirectURLs))
	for i, address := range s.RedirectURLs {
		listed[i] = []any{address, of}
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO app_redirects (url, app_id) SELECT r.url, r.app_id FROM {rows url text, app_id text} WHERE TRUE
		ON CONFLICT DO NOTHING`, listed)
	if err != nil {
		return fmt.Errorf("store the redirect URLs of an app: %w", err)
	}
	return nil
}

// Redirects returns the directory of registered redirect URLs.
func Redirects(store *sqlstore.Store) machines.Redirects { return redirects{store} }

type redirects struct{ store *sqlstore.Store }

// Registered reports whether an app registered an address in a workspace that a superadmin owns. Apps that can change their own addresses do not count.
func (r redirects) Registered(ctx context.Context, address string, now time.Time) (bool, error) {
	var found []string
	err := r.store.Reader(ctx).List(ctx, &found, `
		SELECT m.grants FROM app_redirects r JOIN apps a ON a.id = r.app_id
		JOIN members m ON m.org_id = a.org_id JOIN users u ON u.id = m.user_id
		WHERE r.url = ? AND a.enabled AND a.origin = '' AND a.registration = '' AND u.superadmin`, address)
	if err != nil {
		return false, fmt.Errorf("look for a redirect URL: %w", err)
	}
	for _, encoded := range found {
		grants, err := sqlstore.DecodeList[workspace.Grant](encoded)
		if err != nil {
			return false, fmt.Errorf("decode the roles of a member: %w", err)
		}
		if slices.Contains(workspace.LiveRoles(grants, now), role.Owner) {
			return true, nil
		}
	}
	return false, nil
}

// At reports whether an app registered an address with an origin. It reads ranges of the index by address: an
// origin is followed by nothing, a slash or a question mark.
func (r redirects) At(ctx context.Context, origin string) (bool, error) {
	var found []bool
	err := r.store.Reader(ctx).List(ctx, &found, `
		SELECT TRUE FROM app_redirects r JOIN apps a ON a.id = r.app_id
		WHERE a.enabled AND (r.url = ? OR r.url >= ? AND r.url < ? OR r.url >= ? AND r.url < ?) LIMIT 1`,
		origin, origin+"/", origin+"0", origin+"?", origin+"@")
	if err != nil {
		return false, fmt.Errorf("look for redirect URLs of an origin: %w", err)
	}
	return len(found) > 0, nil
}
