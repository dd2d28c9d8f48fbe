package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse.internal/domain/flow"
)

const (
	flowRunColumns = `id, flow_id, org_id, name, number, flow_trigger, user_id, decision, took_micros, content, created_at`
	flowRunTypes   = `id text, flow_id text, org_id text, name text, number bigint, flow_trigger text, user_id text, decision text,
	took_micros bigint, content text, created_at time`
	// intoFlowRuns lacks the rows. A run about nobody has no user_id.
	intoFlowRuns   = `INSERT INTO flow_runs (` + flowRunColumns + `) SELECT r.id, flow_id, org_id, name, number, flow_trigger, NULLIF(user_id, ''), decision, took_micros, content, created_at FROM `
	insertFlowRuns = intoFlowRuns + `{rows ` + flowRunTypes + `}`
	// insertFlowRunsOf stores the runs of what was written; the condition lacks its right side.
	insertFlowRunsOf = intoFlowRuns + `{rows written text, ` + flowRunTypes + `} WHERE r.written IN `
)

// AddFlowRuns stores runs of flows. A failed run is recorded as an event, too.
func (t *Tx) AddFlowRuns(ctx context.Context, runs []flow.Run) error {
	rows, err := t.store.flowRunRows(runs)
	if err != nil {
		return err
	}
	if err := t.writeFlowRuns(ctx, rows); err != nil {
		return err
	}
	for _, run := range runs {
		if run.Content.Reason != flow.Failed {
			continue
		}
		about := flow.About{FlowID: run.FlowID, OrgID: run.OrgID, Name: run.Name, Trigger: run.Trigger, Version: run.Version}
		if err := t.Events().Record(ctx, flow.RunFailed{About: about, RunID: run.ID, Node: run.Content.Node}); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) writeFlowRuns(ctx context.Context, rows Rows) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := t.Exec(ctx, insertFlowRuns, rows); err != nil {
		return fmt.Errorf("store runs of flows: %w", err)
	}
	return nil
}

// flowRunRows returns the parameter of insertFlowRuns.
func (s *Store) flowRunRows(runs []flow.Run) (Rows, error) {
	rows := make(Rows, len(runs))
	for i, run := range runs {
		content, err := json.Marshal(run.Content)
		if err != nil {
			return nil, fmt.Errorf("encode a run: %w", err)
		}
		rows[i] = []any{
			run.ID.String(), run.FlowID.String(), run.OrgID.String(), string(run.Name), run.Version, string(run.Trigger), run.User.String(),
			string(run.Decision), run.Took.Microseconds(), s.RowSealer("flow_runs", run.ID.String())("content", string(content)), At(run.At),
		}
	}
	return rows, nil
}

// rowsOf prefixes rows with what they belong to.
func rowsOf(written string, rows Rows) Rows {
	prefixed := make(Rows, len(rows))
	for i, row := range rows {
		prefixed[i] = append([]any{written}, row...)
	}
	return prefixed
}
