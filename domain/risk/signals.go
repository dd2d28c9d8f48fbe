package risk

import (
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/domain/policy"
)

// Name names a signal.
type Name string

// The signals there are.
const (
	NewDevice        Name = "new_device"
	NewRange         Name = "new_range"
	NewCountry       Name = "new_country"
	ImpossibleTravel Name = "impossible_travel"
	AccountFailures  Name = "account_failures"
	AddressAccounts  Name = "address_accounts"
	CommonPassword   Name = "common_password"
	UserAgentChange  Name = "user_agent_change"
	UnusualHour      Name = "unusual_hour"
	DisposableDomain Name = "disposable_domain"
	ListedAddress    Name = "listed_address"
)

const (
	// manyFailures is how many failed logins of an account in an hour are many.
	manyFailures = 3
	// manyAccounts is of how many accounts the logins from one address must fail in an hour.
	manyAccounts = 10
	// fewLogins is how many logins say nothing yet about the hours of an account.
	fewLogins = 10
	// hourSpan is how far from the time of day of another login one is usual.
	hourSpan = 3 * time.Hour
	// fastest is an impossible travel speed, in km/h, and nearest the tolerated
	// distance between two locations of one place, in km.
	fastest = 1000
	nearest = 500
)

// Definition describes a signal.
type Definition struct {
	Name Name
	// Means is one sentence for people.
	Means string
	// Weight returns the weight in the policy.
	Weight func(policy.Risk) int

	// raised returns the reason for raising the signal; "" if it is not raised.
	raised func(Situation, History) string
}

// Signals lists all of them.
func Signals() []Definition {
	return []Definition{
		{NewDevice, "The account has not been used recently with this browser or app.", func(r policy.Risk) int { return r.NewDevice }, newDevice},
		{NewRange, "The account has not been used recently from this address range (IPv4: /24, IPv6: /48).", func(r policy.Risk) int { return r.NewRange }, newRange},
		{NewCountry, "The account has not been used recently from this country.", func(r policy.Risk) int { return r.NewCountry }, newCountry},
		{ImpossibleTravel, fmt.Sprintf("The place is more than %d km from the last sign-in, and could only be reached at more than %d km/h.", nearest, fastest), func(r policy.Risk) int { return r.ImpossibleTravel }, impossibleTravel},
		{AccountFailures, fmt.Sprintf("At least %d sign-ins to the account failed within the last hour.", manyFailures), func(r policy.Risk) int { return r.AccountFailures }, accountFailures},
		{AddressAccounts, fmt.Sprintf("Sign-ins to at least %d accounts failed from this address within the last hour.", manyAccounts), func(r policy.Risk) int { return r.AddressAccounts }, addressAccounts},
		{CommonPassword, "The password is in lists of common passwords.", func(r policy.Risk) int { return r.CommonPassword }, commonPassword},
		{UserAgentChange, "The session continues in a different browser or app.", func(r policy.Risk) int { return r.UserAgentChange }, userAgentChange},
		{UnusualHour, fmt.Sprintf("The account has at least %d recent sign-ins, and none was within %d hours of this time of day.", fewLogins, int(hourSpan.Hours())), func(r policy.Risk) int { return r.UnusualHour }, unusualHour},
		{DisposableDomain, "The email address belongs to a provider of disposable addresses.", func(r policy.Risk) int { return r.DisposableDomain }, disposableDomain},
		{ListedAddress, "The address is on a list of the instance that the policy names.", func(r policy.Risk) int { return r.ListedAddress }, listedAddress},
	}
}

func newDevice(s Situation, h History) string {
	switch {
	case h.KnownClient || !h.UsedBefore:
		return ""
	case s.Client == "":
		return "a browser or app that says nothing of itself"
	}
	return s.Client
}

func newRange(s Situation, h History) string {
	if !s.IP.IsValid() || (len(h.Logins) == 0 && len(h.Denied) == 0) {
		return ""
	}
	here := RangeOf(s.IP)
	for _, login := range h.Logins {
		if RangeOf(login.IP) == here {
			return ""
		}
	}
	return here.String()
}

func newCountry(s Situation, h History) string {
	known := false
	for _, login := range h.Logins {
		if login.Place.Country == s.Place.Country {
			return ""
		}
		known = known || login.Place.Country != ""
	}
	if !known {
		return ""
	}
	return s.Place.Country
}

func impossibleTravel(s Situation, h History) string {
	if len(h.Logins) == 0 || !s.Place.Located || !h.Logins[0].Place.Located {
		return ""
	}
	last := h.Logins[0]
	distance, passed := last.Place.distance(s.Place), s.At.Sub(last.At)
	if distance <= nearest || distance <= fastest*passed.Hours() {
		return ""
	}
	return fmt.Sprintf("%d km in %d minutes", int(distance), int(passed.Minutes()))
}

func accountFailures(_ Situation, h History) string {
	if h.Failures < manyFailures {
		return ""
	}
	return fmt.Sprintf("%d failed logins", h.Failures)
}

func addressAccounts(_ Situation, h History) string {
	if h.AddressAccounts < manyAccounts {
		return ""
	}
	return fmt.Sprintf("%d accounts", h.AddressAccounts)
}

func commonPassword(s Situation, _ History) string {
	if !s.CommonPassword {
		return ""
	}
	return "a common password"
}

func userAgentChange(s Situation, _ History) string {
	switch {
	case s.BegunWith == nil || *s.BegunWith == s.Client:
		return ""
	case *s.BegunWith == "" || s.Client == "":
		return "another browser or app"
	}
	return *s.BegunWith + ", now " + s.Client
}

func unusualHour(s Situation, h History) string {
	usual := h.Logins
	if len(usual) < fewLogins {
		return ""
	}
	for _, login := range usual {
		apart := (timeOfDay(s.At) - timeOfDay(login.At)).Abs()
		if min(apart, 24*time.Hour-apart) <= hourSpan {
			return ""
		}
	}
	return s.At.UTC().Format("15:04 MST")
}

func timeOfDay(t time.Time) time.Duration {
	t = t.UTC()
	return t.Sub(t.Truncate(24 * time.Hour))
}

func disposableDomain(s Situation, _ History) string {
	if !isDisposable(s.EmailDomain) {
		return ""
	}
	return string(s.EmailDomain)
}

func listedAddress(s Situation, _ History) string {
	names := make([]string, len(s.Lists))
	for i, list := range s.Lists {
		names[i] = string(list)
	}
	return strings.Join(names, ", ")
}
