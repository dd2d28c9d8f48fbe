// Package session holds the session: one login of one person on one device,
// with the refresh token that keeps it alive (specification section 2.5,
// contract section 3).
package session

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of sessions.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such session")
	ErrEnded    = fault.New(fault.Auth, "the session has ended: sign in again")
	ErrRefresh  = fault.New(fault.Auth, "invalid_grant: the refresh token is invalid; sign in again")
	ErrRules    = fault.New(fault.Auth, "this session does not meet the workspace's sign-in rules: call TEAM.SWITCH")
	ErrReused   = fault.New(fault.Auth, "invalid_grant: the refresh token was already used, so the session was revoked; sign in again")
)

type idKind struct{}

func (idKind) Prefix() string { return "ses" }

// ID identifies a session.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// ParseID reads an identifier; it fails with id.ErrMalformed.
func ParseID(text string) (ID, error) { return id.Parse[idKind](text) }

// Digest is the SHA-256 of a refresh token, the only form in which it is kept.
type Digest string

// Reasons for the end of a session, in session.revoked.
const (
	ByLogout         = "logout"
	ByUser           = "revoked"
	ByReuse          = "refresh_reuse"
	ByPasswordChange = "password_changed"
	ByDisable        = "user_disabled"
	ByDelete         = "user_deleted"
	ByMerge          = "user_merged"
	ByAdmin          = "revoked_by_admin"
	// ByClaim means that the owner of the address claimed the account.
	ByClaim = "account_claimed"
	// ByStop is that the impersonation was stopped which the session belongs to, ByConsent that
	// the person allows it no more, ByBasis that what it rested on is gone.
	ByStop    = "impersonation_stopped"
	ByConsent = "consent_withdrawn"
	ByBasis   = "impersonation_ended"
)

// ByFactors is the authentication method of several factors (RFC 8176).
const ByFactors = "mfa"

// Snapshot is the stored state of a session.
type Snapshot struct {
	ID     ID
	UserID user.ID
	// OrgID is the active workspace.
	OrgID     workspace.ID
	CreatedAt time.Time
	// AuthTime is when the person last proved presence; AMR is how (RFC 8176).
	AuthTime  time.Time
	AMR       []string
	IP        string
	UserAgent string
	// Refresh is the token that is good now, Previous the one it replaced.
	Refresh   Digest
	Previous  Digest
	RotatedAt time.Time
	// LastUsedAt is the last login or refresh; Idle after it the session ends.
	LastUsedAt time.Time
	Idle       time.Duration
	// ExpiresAt is the end, however much the session is used.
	ExpiresAt time.Time
	EndedAt   time.Time
	EndReason string
	// Claims are those that flows set for its tokens, by name.
	Claims map[string]json.RawMessage
	// ActedBy is who acts as the person in it; empty for a login.
	ActedBy user.ID
	// Met are the revisions of the instance at which the session met the sign-in rules of
	// workspaces that have some. It is nil for sessions of releases that did not record them.
	Met map[workspace.ID]int64
}

// MetAt returns the revision at which the session met the sign-in rules of a workspace; 0 for
// never.
func (s Snapshot) MetAt(org workspace.ID) int64 {
	if s.Met == nil && org == s.OrgID {
		return workspace.Unrecorded
	}
	return s.Met[org]
}

// Meets reports whether the session meets the sign-in rules of a workspace.
func (s Snapshot) Meets(org workspace.ID, rules workspace.RulesMark) bool {
	return rules.MetAt(s.MetAt(org), s.CreatedAt)
}

// Active reports whether the session is valid at a time.
func (s Snapshot) Active(now time.Time) bool {
	return s.EndedAt.IsZero() && now.Before(s.ExpiresAt) && now.Before(s.LastUsedAt.Add(s.Idle))
}

// HasFactors reports whether the person gave more than one factor.
func (s Snapshot) HasFactors() bool { return slices.Contains(s.AMR, ByFactors) }

// Session is one login.
type Session struct {
	aggregate.Root
	s Snapshot
}

// Start are the attributes of a new session.
type Start struct {
	ID     ID
	UserID user.ID
	OrgID  workspace.ID
	AMR    []string
	// AuthTime is when the person proved presence. Defaults to now.
	AuthTime  time.Time
	IP        string
	UserAgent string
	Refresh   Digest
	Policy    policy.Session
	Claims    map[string]json.RawMessage
}

// maxMet is for how many workspaces a session records that it met their sign-in rules.
const maxMet = 100

// Begin starts a session.
func Begin(start Start, now time.Time) *Session {
	s := &Session{s: Snapshot{
		ID: start.ID, UserID: start.UserID, OrgID: start.OrgID,
		CreatedAt: now, AuthTime: cmp.Or(start.AuthTime, now), AMR: start.AMR, IP: start.IP, UserAgent: start.UserAgent,
		Refresh: start.Refresh, RotatedAt: now, LastUsedAt: now,
		Idle: start.Policy.Idle(), ExpiresAt: now.Add(start.Policy.Absolute()), Claims: start.Claims,
		Met: map[workspace.ID]int64{},
	}}
	s.Raise(Created{SessionID: start.ID, UserID: start.UserID, OrgID: start.OrgID, AMR: start.AMR})
	return s
}

// Impersonate starts a session in which somebody else acts as the person until a time. Nobody proved
// presence, so its AuthTime is the beginning of Unix time and it has no AMR; no token renews it.
// It raises no event: that of the impersonation tells of it.
func Impersonate(start Start, to user.ID, until, now time.Time) *Session {
	return &Session{s: Snapshot{
		ID: start.ID, UserID: start.UserID, OrgID: start.OrgID, ActedBy: to,
		CreatedAt: now, AuthTime: time.Unix(0, 0).UTC(), IP: start.IP, UserAgent: start.UserAgent,
		LastUsedAt: now, Idle: until.Sub(now), ExpiresAt: until, Met: map[workspace.ID]int64{},
	}}
}

// Restore returns the session that was stored.
func Restore(s Snapshot, version int64) *Session {
	return &Session{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (s *Session) Snapshot() Snapshot { return s.s }

// ID returns the session's identifier.
func (s *Session) ID() ID { return s.s.ID }

// Active reports whether the session is valid at a time.
func (s *Session) Active(now time.Time) bool { return s.s.Active(now) }

// renewable reports whether the session is valid at a time and is the person's own. An impersonated
// session is never renewed or strengthened.
func (s *Session) renewable(now time.Time) bool { return s.Active(now) && s.s.ActedBy == "" }

// Ended reports whether the session was ended, before its time.
func (s *Session) Ended() bool { return !s.s.EndedAt.IsZero() }

// OwnedBy reports whether it is a person's session.
func (s *Session) OwnedBy(person user.ID) bool { return s.s.UserID == person }

// Rotate replaces the refresh token by its successor. The token just replaced
// may be presented again within the retry window, as long as its successor was
// not used: its answer was lost. Any other old token has leaked, so the session
// ends for everybody (RFC 9700 section 4.14.2).
func (s *Session) Rotate(presented, successor Digest, retry time.Duration, now time.Time) error {
	switch {
	case !s.renewable(now):
		return ErrEnded
	case presented == s.s.Refresh:
		s.s.Previous, s.s.Refresh, s.s.RotatedAt, s.s.LastUsedAt = presented, successor, now, now
		s.Raise(Refreshed{SessionID: s.s.ID, UserID: s.s.UserID, OrgID: s.s.OrgID})
		return nil
	case retry > 0 && presented == s.s.Previous && successor == s.s.Refresh && now.Sub(s.s.RotatedAt) <= retry:
		return nil
	default:
		s.Raise(ReuseDetected{SessionID: s.s.ID, UserID: s.s.UserID, OrgID: s.s.OrgID})
		s.End(ByReuse, now)
		return ErrReused
	}
}

// Switch makes another workspace the active one, and replaces the refresh token by its
// successor as Rotate does. It fails with ErrEnded.
func (s *Session) Switch(to workspace.ID, successor Digest, now time.Time) error {
	if !s.renewable(now) {
		return ErrEnded
	}
	s.s.Previous, s.s.Refresh, s.s.RotatedAt, s.s.LastUsedAt = s.s.Refresh, successor, now, now
	s.Enter(to)
	return nil
}

// Enter makes another workspace the active one.
func (s *Session) Enter(to workspace.ID) {
	s.Raise(TeamSwitched{SessionID: s.s.ID, UserID: s.s.UserID, OrgID: to, FromOrgID: s.s.OrgID})
	s.s.OrgID = to
}

// Meet records that the session met the sign-in rules of a workspace at a revision of the
// instance. Of too many workspaces it forgets the one whose rules were met the longest ago.
func (s *Session) Meet(org workspace.ID, revision int64) {
	met := maps.Clone(s.s.Met)
	if met == nil {
		met = map[workspace.ID]int64{}
	}
	if met[org] = revision; len(met) > maxMet {
		oldest := org
		for other, at := range met {
			if at < met[oldest] {
				oldest = other
			}
		}
		delete(met, oldest)
	}
	s.s.Met = met
}

// Bind applies demands of flows to a continued session: their claims replace previous
// ones, and limits can only shorten it; 0 for none.
func (s *Session) Bind(claims map[string]json.RawMessage, idle, absolute time.Duration, now time.Time) {
	s.s.Claims = claims
	if idle > 0 {
		s.s.Idle = min(s.s.Idle, idle)
	}
	if end := now.Add(absolute); absolute > 0 && end.Before(s.s.ExpiresAt) {
		s.s.ExpiresAt = end
	}
}

// GoOnWith records that the session continues in another browser or app.
func (s *Session) GoOnWith(userAgent string) { s.s.UserAgent = userAgent }

// Reauthenticate records a new proof of presence, and replaces the refresh token, so
// that a stolen previous one cannot continue. It fails with ErrEnded.
func (s *Session) Reauthenticate(next Digest, amr []string, now time.Time) error {
	if !s.renewable(now) {
		return ErrEnded
	}
	s.s.AuthTime, s.s.AMR, s.s.LastUsedAt, s.s.RotatedAt = now, amr, now, now
	s.s.Refresh, s.s.Previous = next, ""
	s.Raise(Reauthenticated{SessionID: s.s.ID, UserID: s.s.UserID, OrgID: s.s.OrgID, AMR: amr})
	return nil
}

// Strengthen notes all the ways in which the person has proved their identity, when
// another was added to those of the login. Presence is as old as it was. It fails
// with ErrEnded.
func (s *Session) Strengthen(amr []string, now time.Time) error {
	if !s.renewable(now) {
		return ErrEnded
	}
	s.s.AMR = amr
	return nil
}

// End ends the session; one that has ended stays as it is.
func (s *Session) End(reason string, now time.Time) {
	if s.Ended() {
		return
	}
	s.Return(reason, now)
	s.Raise(Revoked{SessionID: s.s.ID, UserID: s.s.UserID, OrgID: s.s.OrgID, Reason: reason})
}

// Return ends an impersonated session without an event: the impersonation raises its own.
// A session that has ended does not change.
func (s *Session) Return(reason string, now time.Time) {
	if !s.Ended() {
		s.s.EndedAt, s.s.EndReason = now, reason
	}
}

// Until makes the session end at a time, unless it ends before.
func (s *Session) Until(end time.Time) {
	if end.Before(s.s.ExpiresAt) {
		s.s.ExpiresAt = end
	}
}
