package risk

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// KeptFor is how long an assessment is kept: as long as it is part of the history.
const KeptFor = Window

// ErrNotFound is returned if the assessment does not exist, or the caller may not see
// it.
var ErrNotFound = fault.New(fault.NotFound, "no such risk assessment")

type idKind struct{}

func (idKind) Prefix() string { return "ras" }

// ID identifies an assessment.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// EarliestID returns the beginning of the identifiers that are minted in the millisecond of a
// moment, which sorts before all of them.
func EarliestID(moment time.Time) ID { return id.Earliest[idKind](moment) }

// Verdict is a person's verdict on an attempt.
type Verdict string

// The verdicts there are.
const (
	Mine    Verdict = "mine"
	NotMine Verdict = "not_mine"
)

// Snapshot is the stored state of an assessment.
type Snapshot struct {
	ID     ID
	UserID user.ID
	// OrgID is the workspace that was entered.
	OrgID workspace.ID
	// SessionID is the session of the attempt; empty for none yet.
	SessionID session.ID
	Trigger   flow.Trigger
	Score     Score
	IP        string
	UserAgent string
	CreatedAt time.Time
	Verdict   Verdict
	VerdictAt time.Time
}

// Assessment is the score of an attempt that was not low.
type Assessment struct {
	aggregate.Root
	s Snapshot
}

// Make makes the assessment of an attempt.
func Make(s Snapshot) *Assessment { return &Assessment{s: s} }

// Restore returns the assessment that was stored.
func Restore(s Snapshot, version int64) *Assessment {
	return &Assessment{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (a *Assessment) Snapshot() Snapshot { return a.s }

// Opened records the session of the attempt.
func (a *Assessment) Opened(of session.ID) { a.s.SessionID = of }

// Judge records a verdict, and the number of sessions it ended. It reports whether the
// verdict changed.
func (a *Assessment) Judge(verdict Verdict, ended int, now time.Time) bool {
	if a.s.Verdict == verdict {
		return false
	}
	a.s.Verdict, a.s.VerdictAt = verdict, now
	a.Raise(FeedbackSubmitted{AssessmentID: a.s.ID, UserID: a.s.UserID, OrgID: a.s.OrgID, Verdict: verdict, SessionsRevoked: ended})
	return true
}

// KindFeedbackSubmitted is the kind of FeedbackSubmitted.
const KindFeedbackSubmitted event.Kind = "risk_feedback.submitted"

// FeedbackSubmitted is the content of risk_feedback.submitted.
type FeedbackSubmitted struct {
	AssessmentID    ID           `json:"assessment_id" doc:"ID of the assessment."`
	UserID          user.ID      `json:"user_id" doc:"User whose account was tried."`
	OrgID           workspace.ID `json:"org_id,omitzero" doc:"Workspace that the attempt was to enter."`
	Verdict         Verdict      `json:"verdict" doc:"Whether the attempt was made by the owner of the account." jsonschema:"enum=mine,enum=not_mine"`
	SessionsRevoked int          `json:"sessions_revoked" doc:"Number of sessions that ended."`
}

// Kind is risk_feedback.submitted.
func (FeedbackSubmitted) Kind() event.Kind { return KindFeedbackSubmitted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A verdict was submitted on whether a sign-in attempt was the owner's.",
		Example: FeedbackSubmitted{
			"ras_01jd7x9k2mf3q8v5t0abcdefgh", "usr_01jd7x9k2mf3q8v5t0abcdefgh", "org_01jd7x9k2mf3q8v5t0abcdefgh", NotMine, 1,
		},
	}}
}
