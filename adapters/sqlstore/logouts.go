package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
)

// QueueLogouts queues a back-channel logout for each client that has an ID token of a session that ended, and
// a backchannel_logout_uri (OpenID Connect Back-Channel Logout 1.0). It reads the grants, so it is called before
// they are deleted.
func (t *Tx) QueueLogouts(ctx context.Context, ended session.ID) error {
	now := At(t.store.clock.Now())
	_, err := t.Exec(ctx, `
		INSERT INTO oauth_logouts (session_id, app_id, subject, ended_at, due_at, attempts)
		SELECT g.session_id, g.app_id, MIN(CASE WHEN g.subject = '' THEN g.user_id ELSE g.subject END), ?, ?, 0
		FROM oauth_grants g JOIN apps a ON a.id = g.app_id
		WHERE g.session_id = ? AND g.redeemed_at IS NOT NULL AND {position}(g.scopes, ?) > 0 AND {position}(a.rules, ?) > 0
		GROUP BY g.session_id, g.app_id ON CONFLICT DO NOTHING`,
		now, now, ended.String(), Quoted(oauth.OpenID), `"backchannel_logout_uri"`)
	if err != nil {
		return fmt.Errorf("queue the logouts of a session: %w", err)
	}
	return nil
}
