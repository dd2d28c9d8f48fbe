package risk

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

const (
	// countedFor is how long a failed login, or a wrong second factor, is told of, and
	// mostCounted how many are.
	countedFor  = 24 * time.Hour
	mostCounted = 1000
	// mostAddresses is among how many addresses those that are locked out are sought.
	mostAddresses = 1000
)

// lockoutPosition is where a page begins: after an account, or after an address.
type lockoutPosition struct {
	account people.LockedAccount
	address event.ID
}

// readPosition reads what the positions of lockouts say: the kind, and what its
// list is in the order of.
func readPosition(position string) lockoutPosition {
	kind, rest, _ := strings.Cut(position, "/")
	if kind == ofIP {
		return lockoutPosition{address: event.ID(rest)}
	}
	until, id, found := strings.Cut(rest, "/")
	micros, err := strconv.ParseInt(until, 10, 64)
	if !found || err != nil {
		return lockoutPosition{}
	}
	return lockoutPosition{account: people.LockedAccount{UserID: user.ID(id), Until: time.UnixMicro(micros).UTC()}}
}

// accounts returns the accounts that wrong passwords or codes have locked.
func (s *Service) accounts(ctx context.Context, last people.LockedAccount, most int, now time.Time) ([]Lockout, error) {
	locked, err := s.Lockouts.Accounts(ctx, people.LockedQuery{
		Now: now, Since: now.Add(-countedFor), Most: mostCounted, Before: last, Limit: most,
	})
	if err != nil {
		return nil, err
	}
	found := make([]Lockout, len(locked))
	for i, one := range locked {
		found[i] = Lockout{
			Kind: ofAccount, Subject: one.UserID.String(), Failures: one.Failures, Until: one.Until,
			position: fmt.Sprintf("%s/%d/%s", ofAccount, one.Until.UnixMicro(), one.UserID),
		}
	}
	return found, nil
}

// guard is a limit of logins by address.
type guard struct {
	command string
	rule    limit.Rule
}

// guards returns the limits by address of the commands that log in by a secret which
// can be guessed.
func (s *Service) guards(now time.Time) []guard {
	state := s.Instance.State()
	var guards []guard
	for _, d := range s.Registry().All() {
		if !d.SpikeGuard {
			continue
		}
		for _, spec := range state.Limits(d.Name, d.DefaultLimits()) {
			if spec.By != limit.IP {
				continue
			}
			if state.Spike.On(now) {
				spec = spec.Spiked()
			}
			guards = append(guards, guard{d.Name, spec.Rule})
		}
	}
	return guards
}

// addresses returns the addresses whose logins a limit refuses, of those that failed
// a login within the window of the limit: the log has these.
func (s *Service) addresses(ctx context.Context, last event.ID, most int, now time.Time) ([]Lockout, error) {
	guards := s.guards(now)
	var window time.Duration
	for _, g := range guards {
		window = max(window, g.rule.Window)
	}
	failed, err := s.Lockouts.Addresses(ctx, now.Add(-window), mostAddresses)
	if err != nil {
		return nil, err
	}
	var found []Lockout
	for _, one := range subjects(failed) {
		if last != "" && one.last >= last {
			continue
		}
		lockout, refused, err := s.refused(ctx, guards, one.name, now)
		if err != nil {
			return nil, err
		}
		lockout.position = ofIP + "/" + one.last.String()
		if refused {
			found = append(found, lockout)
		}
		if len(found) == most {
			break
		}
	}
	return found, nil
}

// subject is what limits by address count, with the last event of it.
type subject struct {
	name string
	last event.ID
}

// subjects returns each subject of a list once, in its order.
func subjects(failed []people.FailedAddress) []subject {
	var found []subject
	seen := map[string]bool{}
	for _, one := range failed {
		name := limit.Subject(one.IP)
		if !seen[name] {
			found = append(found, subject{name, one.Last})
		}
		seen[name] = true
	}
	return found
}

// refused reports whether a limit refuses the logins of an address, and until when.
func (s *Service) refused(ctx context.Context, guards []guard, subject string, now time.Time) (Lockout, bool, error) {
	locked := Lockout{Kind: ofIP, Subject: subject}
	for _, g := range guards {
		state, err := s.Counters.State(ctx, throttle.Key(s.Blinder, g.command, limit.IP, subject))
		if err != nil {
			return Lockout{}, false, err
		}
		verdict := g.rule.Peek(state, now)
		if until := now.Add(verdict.RetryAfter); !verdict.Allowed && until.After(locked.Until) {
			locked.Failures, locked.Until = verdict.Used, until
		}
	}
	return locked, !locked.Until.IsZero(), nil
}
