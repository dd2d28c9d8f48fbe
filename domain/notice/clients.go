package notice

import "time"

const (
	// forgottenAfter is how long a client that somebody logged in with is familiar
	// once its sessions can have ended.
	forgottenAfter = 90 * 24 * time.Hour
	// notedEvery is how often the use of a familiar client is noted.
	notedEvery = 24 * time.Hour
)

// Clients are what somebody logged in with, by the name that a person knows a
// device by, with the last login from each that was noted.
type Clients map[string]time.Time

// Meet tells whether a login with a client is news to the account, and whether to
// note it. The very first is none; neither is one that was used lately, which is
// within 90 days and the longest life of a session.
func (c Clients) Meet(client string, longest time.Duration, now time.Time) (news, note bool) {
	seen, met := c[client]
	familiar := met && now.Sub(seen) < forgottenAfter+longest
	return len(c) > 0 && !familiar, !met || now.Sub(seen) >= notedEvery
}
