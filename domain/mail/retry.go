package mail

import (
	"errors"
	"time"
)

// lease is the lease of an attempt; it exceeds the maximum duration of sending.
const lease = 2 * time.Minute

// LeaseFrom returns the end of a turn that begins now.
func LeaseFrom(now time.Time) time.Time { return now.Add(lease) }

// jitterPercent is by how much a pause may be longer or shorter.
const jitterPercent = 10

// pauses returns those after each failed attempt but the last.
func pauses() [4]time.Duration {
	return [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}
}

// MaxAttempts is after how many a mail is given up.
const MaxAttempts = 5

// Pause returns the delay after a failed attempt, counted from 1; false after the last
// one. The jitter, from 0 to 255, varies the delay by up to a tenth in either
// direction.
func Pause(attempt int, jitter byte) (time.Duration, bool) {
	if attempt < 1 || attempt >= MaxAttempts {
		return 0, false
	}
	pause := pauses()[attempt-1]
	const most = 255
	return pause + pause*jitterPercent/100*(2*time.Duration(jitter)-most)/most, true
}

// ErrNoServer is returned if no mail server is configured.
var ErrNoServer = errors.New("no mail server is configured")

// Refused is what a mail server answered in place of taking a letter.
type Refused struct {
	// Permanent answers do not get better by trying again (RFC 5321 section 4.2.1: 5yz).
	Permanent bool
	// Text is the answer, without the address.
	Text string
}

func (r *Refused) Error() string { return r.Text }

// After returns the outcome of an attempt that ended with an error, nil for none.
func After(err error, attempt int, jitter byte, now time.Time) Outcome {
	if err == nil {
		return Outcome{Status: Sent}
	}
	why := "the mail server could not be reached or did not answer in time"
	if refused, answered := errors.AsType[*Refused](err); answered {
		why = refused.Text
		if refused.Permanent {
			return Outcome{Status: Failed, Why: why}
		}
	}
	pause, again := Pause(attempt, jitter)
	if !again {
		return Outcome{Status: Failed, Why: why}
	}
	return Outcome{Status: Queued, RetryAt: now.Add(pause), Why: why}
}
