package oauth

import (
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/session"
)

// LogoutEvent is the member of `events` by which a token is a logout token (OpenID Connect
// Back-Channel Logout 1.0 section 2.4).
const LogoutEvent = "http://schemas.openid.net/event/backchannel-logout"

const (
	// LogoutTime is the time limit of an attempt to notify a client.
	LogoutTime = 15 * time.Second
	// LogoutLease is the lease of a claimed logout.
	LogoutLease = LogoutTime + 30*time.Second
	// LogoutLife is how long a logout token may be taken: the two minutes of section 4 of
	// OpenID Connect Back-Channel Logout 1.0.
	LogoutLife = 2 * time.Minute
)

// logoutPauses returns those before the second attempt and each further one.
func logoutPauses() []time.Duration {
	return []time.Duration{30 * time.Second, 5 * time.Minute, 30 * time.Minute, time.Hour}
}

// Logout is a pending notification of a client about an ended session.
type Logout struct {
	SessionID session.ID
	AppID     app.ID
	// Subject is the subject identifier for the client.
	Subject string
	EndedAt time.Time
	// Attempts counts those that began, with the present one.
	Attempts int
}

// Interrupted reports whether attempts were interrupted so often that the logout is
// given up.
func (l Logout) Interrupted() bool { return l.Attempts > len(logoutPauses())+1 }

// RetryAt returns when a failed logout is attempted again; zero for never. The pause is
// shortened by at most a tenth, in proportion to chance, from 0 to 1.
func (l Logout) RetryAt(chance float64, now time.Time) time.Time {
	pauses := logoutPauses()
	if l.Attempts < 1 || l.Attempts > len(pauses) {
		return time.Time{}
	}
	const share = 0.1
	pause := pauses[l.Attempts-1]
	return now.Add(pause - time.Duration(share*chance*float64(pause)))
}
