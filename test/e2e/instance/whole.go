package instance

// ExpectWhole fails the test when an account lacks a part, or a part its account.
func (s *Site) ExpectWhole() {
	s.T.Helper()
	for what, query := range map[string]string{
		"accounts without a credential": `SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT 1 FROM credentials c WHERE c.user_id = u.id AND c.hash <> '')`,
		"accounts that own no personal workspace": `SELECT count(*) FROM users u WHERE 1 <> (
			SELECT count(*) FROM members m JOIN workspaces w ON w.id = m.org_id WHERE m.user_id = u.id AND w.personal_of = u.id AND m.grants LIKE '%owner%')`,
		"workspaces without a member":       `SELECT count(*) FROM workspaces w WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.org_id = w.id)`,
		"accounts without one user.created": without("user.created"),
		"accounts without one team.created": without("team.created"),
		"user.created without an account":   `SELECT count(*) FROM events e WHERE e.kind = 'user.created' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = e.user_id)`,
		"sessions without an account":       `SELECT count(*) FROM sessions s WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = s.user_id)`,
		"accounts whose sessions do not match their events": `SELECT count(*) FROM users u
			LEFT JOIN (SELECT user_id, count(*) AS begun, count(ended_at) AS ended FROM sessions GROUP BY user_id) s ON s.user_id = u.id
			LEFT JOIN (SELECT user_id, count(CASE kind WHEN 'session.created' THEN 1 END) AS begun, count(CASE kind WHEN 'session.revoked' THEN 1 END) AS ended
				FROM events GROUP BY user_id) e ON e.user_id = u.id
			WHERE coalesce(s.begun, 0) <> coalesce(e.begun, 0) OR coalesce(s.ended, 0) <> coalesce(e.ended, 0)`,
		"addresses with two accounts": `SELECT count(*) FROM (SELECT lower(email) FROM users GROUP BY lower(email) HAVING count(*) > 1) twice`,
	} {
		var n int
		if s.Query(query, &n); n != 0 {
			s.T.Errorf("%d %s", n, what)
		}
	}
}

// without counts the accounts that do not have exactly one event of a kind.
func without(kind string) string {
	return `SELECT count(*) FROM users u
		LEFT JOIN (SELECT user_id, count(*) AS n FROM events WHERE kind = '` + kind + `' GROUP BY user_id) e ON e.user_id = u.id
		WHERE coalesce(e.n, 0) <> 1`
}
