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
var errNoFlow = fault.Unfit("/name", "is required, even with nodes and edges: its trigger and scope select the runs to replay")

// BacktestParams are the parameters of FLOW.BACKTEST.
type BacktestParams struct {
	Name    flow.Name   `json:"name,omitzero" doc:"Name of a flow of the workspace. Superadmins can also name a flow of the instance. Runs of its trigger and scope are replayed."`
	Version int         `json:"version,omitzero" doc:"Version of the flow to replay against. Defaults to the current version." jsonschema:"minimum=1" example:"-"`
	Nodes   []flow.Node `json:"nodes,omitzero" doc:"Nodes of a draft, instead of the nodes of the flow." jsonschema:"maxItems=256" example:"-"`
	Edges   []flow.Edge `json:"edges,omitzero" doc:"Edges of the draft." jsonschema:"maxItems=512" example:"-"`
	From    time.Time   `json:"from,omitzero" doc:"Start of the period, inclusive." example:"-"`
	To      time.Time   `json:"to,omitzero" doc:"End of the period, exclusive." example:"-"`
	Limit   int         `json:"limit,omitzero" doc:"Maximum number of runs to replay, newest first. Defaults to 1,000." jsonschema:"minimum=1,maximum=10000" example:"-"`
}

// BacktestResult is the result of FLOW.BACKTEST.
type BacktestResult struct {
	Runs    int             `json:"runs" doc:"Number of runs replayed."`
	Changed []Changed       `json:"changed" doc:"Runs whose decision would change."`
	Summary BacktestSummary `json:"summary" doc:"Number of runs by change of decision."`
}

// Changed is a run that would come to something else.
type Changed struct {
	RunID   flow.RunID    `json:"run_id" doc:"ID of the run."`
	Was     flow.Decision `json:"was" doc:"Original decision."`
	WouldBe flow.Decision `json:"would_be" doc:"Decision that the flow or draft would make."`
}

// BacktestSummary counts what would change.
type BacktestSummary struct {
	NewlyDenied     int `json:"newly_denied" doc:"Runs that would be denied and were not before."`
	NewlyChallenged int `json:"newly_challenged" doc:"Runs that would require a second factor or an action, and had another decision before."`
	NewlyAllowed    int `json:"newly_allowed" doc:"Runs that would be allowed, and were denied or challenged before."`
	Unchanged       int `json:"unchanged" doc:"Runs whose decision would not change."`
}

func (s *Service) backtest() command.Definition {
	return command.Define(command.Spec[BacktestParams, BacktestResult]{
		Name:    "FLOW.BACKTEST",
		Summary: "Replay past runs against a flow or a draft.",
		Description: "Shows which runs the flow or draft would newly deny, challenge or allow.\n\n" +
			"Nothing is changed or counted, and no server is called: nodes that reach outside repeat their original results.\n" +
			"Context that the original flow did not look up, such as the slug of the workspace, is empty.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p BacktestParams) (BacktestResult, error) {
			if p.Name == "" {
				return BacktestResult{}, errNoFlow
			}
			found, err := s.find(ctx, call.Caller, ScopeParams{}, p.Name, p.Version)
			if err != nil && fault.From(err).Code == fault.NotFound && call.Caller.Superadmin {
				found, err = s.find(ctx, call.Caller, ScopeParams{flow.Instance}, p.Name, p.Version)
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
