package signin

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Assessments returns the repository of risk assessments of sign-ins.
func Assessments(tx *sqlstore.Tx) signin.Assessments { return assessments{tx} }

type assessments struct{ tx *sqlstore.Tx }

// assessmentColumns are the columns of an assessmentRow.
const assessmentColumns = `id, user_id, org_id, session_id, flow_trigger, score, level, signals, ip, user_agent, created_at, verdict, verdict_at, version`

// assessmentRow is an assessment as it is stored; signals, address and user agent are sealed.
type assessmentRow struct {
	ID        risk.ID          `db:"id"`
	UserID    user.ID          `db:"user_id"`
	OrgID     workspace.ID     `db:"org_id"`
	SessionID session.ID       `db:"session_id"`
	Trigger   flow.Trigger     `db:"flow_trigger"`
	Score     int              `db:"score"`
	Level     risk.Level       `db:"level"`
	Signals   string           `db:"signals"`
	IP        string           `db:"ip"`
	UserAgent string           `db:"user_agent"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	Verdict   risk.Verdict     `db:"verdict"`
	VerdictAt sqlstore.Instant `db:"verdict_at"`
	Version   int64            `db:"version"`
}

func (r *assessmentRow) snapshot(store *sqlstore.Store) (risk.Snapshot, error) {
	open := store.RowOpener("risk_assessments", r.ID.String())
	signals, ip, userAgent := open.Value("signals", r.Signals), open.Value("ip", r.IP), open.Value("user_agent", r.UserAgent)
	if open.Err != nil {
		return risk.Snapshot{}, fmt.Errorf("open the assessment %s: %w", r.ID, open.Err)
	}
	raised, err := sqlstore.DecodeList[risk.Signal](signals)
	if err != nil {
		return risk.Snapshot{}, fmt.Errorf("decode the assessment %s: %w", r.ID, err)
	}
	return risk.Snapshot{
		ID: r.ID, UserID: r.UserID, OrgID: r.OrgID, SessionID: r.SessionID, Trigger: r.Trigger,
		Score: risk.Score{Score: r.Score, Level: r.Level, Signals: raised}, IP: ip, UserAgent: userAgent,
		CreatedAt: r.CreatedAt.Time, Verdict: r.Verdict, VerdictAt: r.VerdictAt.Time,
	}, nil
}

// assessmentsWhere reads assessments.
func assessmentsWhere(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, rest string, args ...any) ([]risk.Snapshot, []int64, error) {
	var found []assessmentRow
	if err := q.List(ctx, &found, `SELECT `+assessmentColumns+` FROM risk_assessments`+rest, args...); err != nil {
		return nil, nil, fmt.Errorf("read assessments: %w", err)
	}
	all, versions := make([]risk.Snapshot, len(found)), make([]int64, len(found))
	for i := range found {
		var err error
		if all[i], err = found[i].snapshot(store); err != nil {
			return nil, nil, err
		}
		versions[i] = found[i].Version
	}
	return all, versions, nil
}

// ByID reads one assessment.
func (r assessments) ByID(ctx context.Context, id risk.ID) (*risk.Assessment, error) {
	found, versions, err := assessmentsWhere(ctx, r.tx.Store(), r.tx.Queries, ` WHERE id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, risk.ErrNotFound
	}
	return risk.Restore(found[0], versions[0]), nil
}

// Save stores an assessment.
func (r assessments) Save(ctx context.Context, a *risk.Assessment) error {
	s, store := a.Snapshot(), r.tx.Store()
	signals, err := sqlstore.EncodeList(s.Score.Signals)
	if err != nil {
		return fmt.Errorf("encode an assessment: %w", err)
	}
	seal := store.RowSealer("risk_assessments", s.ID.String())
	return r.tx.Save(ctx, "risk_assessments", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"user_id", s.UserID.String()},
		{"org_id", s.OrgID.String()},
		{"session_id", s.SessionID.String()},
		{"flow_trigger", string(s.Trigger)},
		{"score", s.Score.Score},
		{"level", string(s.Score.Level)},
		{"signals", seal("signals", signals)},
		{"ip", seal("ip", s.IP)},
		{"ip_index", store.Index(label.IP, s.IP)},
		{"user_agent", seal("user_agent", sqlstore.Printable(s.UserAgent))},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"verdict", string(s.Verdict)},
		{"verdict_at", sqlstore.At(s.VerdictAt)},
		{"purge_at", sqlstore.At(s.CreatedAt.Add(risk.KeptFor))},
	}, a)
}

// AssessmentDirectory lists assessments.
func AssessmentDirectory(store *sqlstore.Store) signin.AssessmentDirectory {
	return assessmentDirectory{store}
}

type assessmentDirectory struct{ store *sqlstore.Store }

// List reads a page of assessments.
func (d assessmentDirectory) List(ctx context.Context, query signin.AssessmentQuery) ([]risk.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.User == "", "user_id = ?", query.User.String())
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.IP == "", "ip_index <> '' AND ip_index = ?", d.store.Index(label.IP, query.IP))
	f.Unless(query.MinScore == 0, "score >= ?", query.MinScore)
	f.Unless(query.From.IsZero(), "created_at >= ?", sqlstore.At(query.From))
	f.Unless(query.To.IsZero(), "created_at < ?", sqlstore.At(query.To))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	found, _, err := assessmentsWhere(ctx, d.store, d.store.Reader(ctx), f.String()+sqlstore.Newest(query.Limit), f.Args...)
	return found, err
}
