package flows

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// mostReplayed is how many runs are replayed at most.
const mostReplayed = 10_000

// errNoFlow is returned if the runs to replay are not determined.
var errNoFlow = fault.Unfit("/name", "is required: runs of its trigger and scope are replayed; nodes and edges stand in place of its graph")

// BacktestParams are the parameters of FLOW.BACKTEST.
type BacktestParams struct {
	Name    flow.Name   `json:"name,omitzero" doc:"A stored flow of the workspace or, for a superadmin, of the instance: runs of its trigger are replayed."`
	Version int         `json:"version,omitzero" doc:"Version to replay them against; absent: the current one." jsonschema:"minimum=1" example:"-"`
	Nodes   []flow.Node `json:"nodes,omitzero" doc:"Nodes of a draft in place of those of the flow." jsonschema:"maxItems=256" example:"-"`
	Edges   []flow.Edge `json:"edges,omitzero" doc:"Edges of the draft." jsonschema:"maxItems=512" example:"-"`
	From    time.Time   `json:"from,omitzero" doc:"First moment to look at." example:"-"`
	To      time.Time   `json:"to,omitzero" doc:"First moment beyond those to look at." example:"-"`
	Limit   int         `json:"limit,omitzero" doc:"How many runs, the newest first; absent: 1,000." jsonschema:"minimum=1,maximum=10000" example:"-"`
}

// BacktestResult is the result of FLOW.BACKTEST.
type BacktestResult struct {
	Runs    int             `json:"runs" doc:"How many runs were replayed."`
	Changed []Changed       `json:"changed" doc:"Those that would come to something else."`
	Summary BacktestSummary `json:"summary" doc:"How many would newly be denied, challenged or let in."`
}

// Changed is a run that would come to something else.
type Changed struct {
	RunID   flow.RunID    `json:"run_id" doc:"The run."`
	Was     flow.Decision `json:"was" doc:"What it came to."`
	WouldBe flow.Decision `json:"would_be" doc:"What it would come to."`
}

// BacktestSummary counts what would change.
type BacktestSummary struct {
	NewlyDenied     int `json:"newly_denied" doc:"Runs that would be denied, and were not."`
	NewlyChallenged int `json:"newly_challenged" doc:"Runs of which something would be asked, and was not before."`
	NewlyAllowed    int `json:"newly_allowed" doc:"Runs that would pass, and did not, or were asked for something."`
	Unchanged       int `json:"unchanged" doc:"All others."`
}

func (s *Service) backtest() command.Definition {
	return command.Define(command.Spec[BacktestParams, BacktestResult]{
		Name: "FLOW.BACKTEST",
		Summary: "Replay stored runs against a flow or a draft, and tell whom it would newly block, challenge or let in. Nothing is changed, counted or asked: " +
			"nodes that reach outside come to what they came to then. What the flow of that time did not look up, such as the slug of the workspace, is empty.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p BacktestParams) (BacktestResult, error) {
			if p.Name == "" {
				return BacktestResult{}, errNoFlow
			}
			found, err := s.find(ctx, call.Caller, Place{}, p.Name, p.Version)
			if err != nil && fault.From(err).Code == fault.NotFound && call.Caller.Superadmin {
				found, err = s.find(ctx, call.Caller, Place{flow.Instance}, p.Name, p.Version)
			}
			if err != nil {
				return BacktestResult{}, err
			}
			made, err := s.sound(ctx, call.Caller.Org, found.Trigger, UpdateParams{Nodes: p.Nodes, Edges: p.Edges}.over(found.Current.Graph))
			if err != nil {
				return BacktestResult{}, err
			}
			query := ops.FlowRunQuery{Orgs: []workspace.ID{found.OrgID}, Trigger: found.Trigger, From: p.From, To: p.To, Limit: p.Limit}
			if query.Limit == 0 {
				query.Limit = mostReplayed / 10 //nolint:mnd // the default that the schema names
			}
			runs, err := s.Runs.List(ctx, query)
			if err != nil {
				return BacktestResult{}, err
			}
			return s.replay(ctx, made, runs)
		},
	})
}
