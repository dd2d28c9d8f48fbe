package notice

import "time"

const (
	// forgottenAfter is how long a client stays known after its sessions may have
	// ended.
	forgottenAfter = 90 * 24 * time.Hour
	// notedEvery is how often the use of a known client is noted.
	notedEvery = 24 * time.Hour
	// MaxClients is how many clients an account remembers.
	MaxClients = 50
)

// Client is what an account knows of a client.
type Client struct {
	// First reports whether nothing was noted of the account before.
	First bool
	// SeenAt is the last login with it that was noted, zero when there is none.
	SeenAt time.Time
}

// KnownFor is how long a client stays known, given the maximum lifetime of a session.
func KnownFor(longest time.Duration) time.Duration { return forgottenAfter + longest }

// Meet reports whether a login with a client is news to the account, and whether to
// note it. The very first is none; neither is one that was used lately, which is
// within 90 days and the longest life of a session.
func (c Client) Meet(longest time.Duration, now time.Time) (news, note bool) {
	met, since := !c.SeenAt.IsZero(), now.Sub(c.SeenAt)
	known := met && since < KnownFor(longest)
	return !c.First && !known, !met || since >= notedEvery
}
