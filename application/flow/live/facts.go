package live

import (
	"context"
	"maps"
	"math"
	"strings"
	"time"

	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Weight is the risk of an attempt, and recent activity on the account.
type Weight struct {
	// Score is 0 to 100, Level low, medium or high.
	Score   int
	Level   string
	Signals []string
	// Failures are of the last hour, Logins and Addresses of the last day.
	Failures, Logins, Addresses int
}

// weigh adds the risk of an attempt and the history of the account, as far as a plan
// reads them.
func (a *attempt) weigh(p *plan.Plan, s Subject, values map[string]any) error {
	weight := Weight{Level: "low"}
	if s.Weigh != nil && (p.Needs("risk") || p.Needs("history")) {
		var err error
		if weight, err = s.Weigh(); err != nil {
			return err
		}
	}
	signals := weight.Signals
	if signals == nil {
		signals = []string{}
	}
	values["risk"] = map[string]any{"score": int64(weight.Score), "level": weight.Level, "signals": signals}
	values["history"] = map[string]any{
		"failures_1h": int64(weight.Failures), "logins_24h": int64(weight.Logins), "distinct_ips_24h": int64(weight.Addresses),
	}
	return nil
}

// place adds where the address is, as far as that is known.
func (a *attempt) place(ip map[string]any) map[string]any {
	found := a.flows.Places.Place(a.call.IP)
	if found.Country != "" {
		ip["country"] = found.Country
	}
	if found.ASN != 0 {
		ip["asn"] = int64(found.ASN)
	}
	return ip
}

func (a *attempt) address() string {
	if !a.call.IP.IsValid() {
		return ""
	}
	return a.call.IP.Unmap().WithZone("").String()
}

// facts returns those that are known before any account is looked at, for a trigger. The caller
// may add to them.
func (a *attempt) facts(t flow.Trigger) map[string]any {
	if a.known == nil {
		version := int64(6)
		if a.call.IP.Unmap().Is4() {
			version = 4
		}
		browser, system, kind := device.Parts(a.call.UserAgent)
		a.known = map[string]any{
			"now":        a.now,
			"ip":         a.place(map[string]any{"address": a.address(), "version": version}),
			"user_agent": map[string]any{"raw": a.call.UserAgent, "browser": browser, "os": system, "device": kind},
		}
	}
	values := maps.Clone(a.known)
	values["trigger"] = string(t)
	return values
}

// Person is a person in the context.
type Person struct {
	user.Snapshot

	Roles    []string
	Groups   []group.ID
	Enrolled bool
}

// Facts returns those of the person.
func (p Person) Facts() map[string]any {
	groups := make([]string, len(p.Groups))
	for i, g := range p.Groups {
		groups[i] = g.String()
	}
	roles := p.Roles
	if roles == nil {
		roles = []string{}
	}
	facts := map[string]any{
		"id": p.ID.String(), "email_domain": Domain(p.Email), "email_verified": p.EmailVerified, "created_at": p.CreatedAt,
		"roles": roles, "groups": groups, "metadata": object(p.Metadata), "mfa_enrolled": p.Enrolled,
	}
	if !p.LastLoginAt.IsZero() {
		facts["last_login_at"] = p.LastLoginAt
	}
	return facts
}

// Newcomer returns the facts of a person without an account, or whose account is not
// looked up.
func Newcomer(address email.Address, now time.Time) map[string]any {
	return Person{Snapshot: user.Snapshot{Email: address, CreatedAt: now}}.Facts()
}

// Domain returns the domain of an address, in lower case.
func Domain(address email.Address) string { return strings.ToLower(string(address.Domain())) }

// Org returns the facts of a workspace, of which slug and metadata may be unknown.
func Org(s workspace.Snapshot) map[string]any {
	return map[string]any{"id": s.ID.String(), "slug": string(s.Slug), "metadata": object(s.Metadata)}
}

// FindOrg is Org for a workspace that is yet to be read, outside of any unit of work. What no
// flow needs of it is left out.
func FindOrg(ctx context.Context, org workspace.ID, needs func(string) bool) (map[string]any, error) {
	a := attemptOf(ctx)
	if a == nil || !needs("org.slug") && !needs("org.metadata") {
		return Org(workspace.Snapshot{ID: org}), nil
	}
	found, err := a.flows.Orgs.Find(ctx, org)
	return Org(found), err
}

// Device returns the facts of the client.
func Device(known notice.Client, trusted bool, now time.Time) map[string]any {
	days := int64(0)
	if !known.SeenAt.IsZero() {
		days = int64(math.Max(0, now.Sub(known.SeenAt).Hours()/24)) //nolint:mnd // hours of a day
	}
	return map[string]any{"known": !known.SeenAt.IsZero(), "trusted": trusted, "age_days": days}
}

func object(of map[string]any) map[string]any {
	if of == nil {
		return map[string]any{}
	}
	return of
}
