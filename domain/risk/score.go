package risk

import (
	"math"
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/policy"
)

const (
	// Window is how far back the history of an account goes.
	Window = 90 * 24 * time.Hour
	// MostLogins is the maximum number of logins in a history.
	MostLogins = 50
	// deniedFor is how long signals of a denied range weigh more, and deniedTimes how
	// many times.
	deniedFor   = 30 * 24 * time.Hour
	deniedTimes = 2
	highest     = 100
)

// Level is how high a score is.
type Level string

// The levels of a score.
const (
	Low    Level = "low"
	Medium Level = "medium"
	High   Level = "high"
)

// Place is the location of an address, as far as known.
type Place struct {
	// Country is an ISO 3166-1 code of two letters; empty: not known.
	Country string
	// ASN is the number of the network's operator; 0: not known.
	ASN uint32
	// Located reports whether the rest is known.
	Located             bool
	Latitude, Longitude float64
}

// earth is its mean radius in km.
const earth = 6371

// distance is how far apart two places are, in km along the surface.
func (p Place) distance(o Place) float64 {
	radians := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	sinLat := math.Sin(radians(o.Latitude-p.Latitude) / 2)
	sinLong := math.Sin(radians(o.Longitude-p.Longitude) / 2)
	h := sinLat*sinLat + math.Cos(radians(p.Latitude))*math.Cos(radians(o.Latitude))*sinLong*sinLong
	return 2 * earth * math.Asin(math.Sqrt(min(h, 1)))
}

// Situation is an attempt to log in.
type Situation struct {
	At    time.Time
	IP    netip.Addr
	Place Place
	// Client is the display name of the client (device.Kind).
	Client      string
	EmailDomain email.Domain
	// CommonPassword reports whether the password that was given is a common one.
	CommonPassword bool
	// BegunWith is the client that started the session; nil if none is continued.
	BegunWith *string
	// Lists are those of the policy that the address is on.
	Lists []iprule.List
}

// Login is one that succeeded.
type Login struct {
	At     time.Time
	IP     netip.Addr
	Client string
	Place  Place
}

// Denial is an attempt that the person reported as not their own.
type Denial struct {
	At time.Time
	IP netip.Addr
}

// History is the stored history of an account, and of the address of an attempt.
type History struct {
	// Logins are the last ones of the account, newest first.
	Logins []Login
	// UsedBefore reports whether the account was used before, KnownClient with this client, and
	// ClientAge how long ago that was.
	UsedBefore  bool
	KnownClient bool
	ClientAge   time.Duration
	// Trusted reports whether the device is remembered.
	Trusted bool
	// Failures are the failed logins of the account within the last hour.
	Failures int
	// AddressAccounts is the number of accounts with failed logins from the address
	// within the last hour; a failed login without an account counts as one.
	AddressAccounts int
	Denied          []Denial
	// Notified reports whether the person was notified of high risk within the last hour.
	Notified bool
}

// usual returns the logins from ranges that were not denied.
func (h History) usual() []Login {
	if len(h.Denied) == 0 {
		return h.Logins
	}
	return slices.DeleteFunc(slices.Clone(h.Logins), func(l Login) bool {
		return slices.ContainsFunc(h.Denied, func(d Denial) bool { return RangeOf(d.IP) == RangeOf(l.IP) })
	})
}

// denied reports whether an address is of a range that was denied lately.
func (h History) denied(ip netip.Addr, now time.Time) bool {
	return ip.IsValid() && slices.ContainsFunc(h.Denied, func(d Denial) bool {
		return RangeOf(d.IP) == RangeOf(ip) && now.Sub(d.At) < deniedFor
	})
}

// Lately returns the number of logins of the last day, and of their addresses.
func (h History) Lately(now time.Time) (logins, addresses int) {
	from := map[netip.Addr]bool{}
	for _, login := range h.Logins {
		if now.Sub(login.At) < 24*time.Hour {
			logins++
			from[login.IP] = true
		}
	}
	return logins, len(from)
}

// RangeOf returns the range that an address is known by: /24 of IPv4, /48 of IPv6.
func RangeOf(ip netip.Addr) netip.Prefix {
	ip = iprule.Plain(ip)
	bits := 48
	if ip.Is4() {
		bits = 24
	}
	network, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}

// Signal is one that was raised.
type Signal struct {
	Name   Name   `json:"name" doc:"Name of the signal."`
	Weight int    `json:"weight" doc:"Points that the signal added to the score. Twice its weight if the user recently denied an attempt from the same address range." jsonschema:"minimum=0,maximum=200"`
	Detail string `json:"detail" doc:"Observation that raised the signal." jsonschema:"example=Firefox on Windows"`
}

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	var names []any
	for _, signal := range Signals() {
		names = append(names, string(signal.Name))
	}
	return map[string]any{"type": "string", "enum": names}
}

// Score is the risk of an attempt, with the raised signals.
type Score struct {
	Score   int      `json:"score" doc:"Sum of the weights, at most 100." jsonschema:"minimum=0,maximum=100"`
	Level   Level    `json:"level" doc:"Risk level, by the thresholds of the risk policy." jsonschema:"enum=low,enum=medium,enum=high"`
	Signals []Signal `json:"signals" doc:"Signals that were raised, in the order of the table of signals."`
}

// Assess scores an attempt. Signals without weight are omitted.
func Assess(s Situation, h History, rules policy.Risk) Score {
	score := Score{Signals: []Signal{}}
	times := 1
	if h.denied(s.IP, s.At) {
		times = deniedTimes
	}
	h.Logins = h.usual()
	for _, signal := range Signals() {
		weight := signal.Weight(rules) * times
		if weight == 0 {
			continue
		}
		if detail := signal.raised(s, h); detail != "" {
			score.Signals = append(score.Signals, Signal{Name: signal.Name, Weight: weight, Detail: detail})
			score.Score = min(score.Score+weight, highest)
		}
	}
	score.Level = LevelOf(score.Score, rules)
	return score
}

// LevelOf returns the level of a score by a policy.
func LevelOf(score int, rules policy.Risk) Level {
	switch {
	case score >= rules.High:
		return High
	case score >= rules.Medium:
		return Medium
	default:
		return Low
	}
}

// Weighed returns the score by another policy.
func (s Score) Weighed(rules policy.Risk) int {
	total := 0
	for _, signal := range Signals() {
		if slices.ContainsFunc(s.Signals, func(raised Signal) bool { return raised.Name == signal.Name }) {
			total += signal.Weight(rules)
		}
	}
	return min(total, highest)
}
