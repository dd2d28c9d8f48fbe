package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

const (
	// syncKind is the kind of job that synchronizes many sales.
	syncKind job.Kind = "billing.sync"
	// mostAtOnce is how many sales a call synchronizes itself; more are left to a job.
	mostAtOnce = 10
	// syncBatch is how many sales one step of the job handles.
	syncBatch = 200
)

// SyncParams are the parameters of BILLING.SYNC.
type SyncParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id,omitzero" doc:"Synchronize only the sale of this subscription." example:"-"`
	CustomerID     billing.CustomerID     `json:"customer_id,omitzero" doc:"Synchronize only sales to this customer."`
	Processor      billing.AnyProcessor   `json:"processor,omitzero" doc:"Synchronize only sales through this payment processor." example:"-"`
}

// SyncResult is the result of BILLING.SYNC.
type SyncResult struct {
	Checked *int   `json:"checked,omitzero" doc:"Number of sales that were checked. Absent if a job was started."`
	Changed *int   `json:"changed,omitzero" doc:"Number of sales that differed and were corrected. Absent if a job was started."`
	JobID   job.ID `json:"job_id,omitzero" doc:"ID of the job that checks more than 10 sales. The sales are checked within minutes after it. Follow its progress with JOB.GET."`
}

func (s *Service) sync() command.Definition {
	return command.Define(command.Spec[SyncParams, SyncResult]{
		Name:    "BILLING.SYNC",
		Summary: "Synchronize sales with their payment processors.",
		Description: "Fetches the current state of sales of the workspace, and corrects what differs here. Up to 10 sales are checked immediately. For more, " +
			"a job is started.",
		Access: access.Holding(writing),
		Effect: command.Outside,
		Emits:  processorKinds(job.KindCreated),
		Handle: func(ctx context.Context, call command.Call, p SyncParams) (SyncResult, error) {
			query, err := s.lookQuery(ctx, call.Caller, p)
			if err != nil {
				return SyncResult{}, err
			}
			query.Limit = mostAtOnce + 1
			found, err := s.PendingSales.Sales(ctx, query)
			if err != nil {
				return SyncResult{}, err
			}
			if len(found) > mostAtOnce {
				started, err := s.Jobs.Start(ctx, call.Caller, jobs.Order{
					Kind: syncKind, OrgID: query.Org, Needs: writing, Superadmin: query.Org == "", Params: p, ContentType: "application/x-ndjson",
				})
				return SyncResult{JobID: started}, err
			}
			checked, changed := len(found), 0
			for _, one := range found {
				mended, err := s.Payments.Mend(ctx, one, s.pause(ctx))
				if err != nil {
					return SyncResult{}, err
				}
				if mended {
					changed++
				}
			}
			return SyncResult{Checked: &checked, Changed: &changed}, nil
		},
	})
}

// lookQuery returns what sales are meant, of those that the caller's workspace made.
func (s *Service) lookQuery(ctx context.Context, caller access.Caller, p SyncParams) (commerce.SaleRefreshQuery, error) {
	org, err := caller.Horizon()
	if err != nil {
		return commerce.SaleRefreshQuery{}, err
	}
	query := commerce.SaleRefreshQuery{Org: org, Customer: p.CustomerID, Processor: product.Processor(p.Processor)}
	if err := s.known(ctx, caller, p.CustomerID); err != nil || p.SubscriptionID == "" {
		return query, err
	}
	found, err := s.Sales.Subscription(ctx, p.SubscriptionID)
	if err == nil && !caller.Sees(found.OrgID) {
		err = billing.ErrNoSubscription
	}
	query.Checkout = found.CheckoutID
	return query, err
}

// Works lists what jobs of the family do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{syncKind: {Step: s.syncStep}}
}

// syncPoint is where the next step begins.
type syncPoint struct {
	Before billing.CheckoutID `json:"before"`
}

// syncStep makes the next sales due for synchronization.
func (s *Service) syncStep(ctx context.Context, at jobs.StepContext) (step job.Step, err error) {
	p, err := jobs.Params[SyncParams](at)
	if err != nil {
		return step, err
	}
	var from syncPoint
	if len(at.Job.Saved) > 0 {
		if err := strictjson.Decode(at.Job.Saved, &from); err != nil {
			return step, err
		}
	}
	found, err := s.PendingSales.Sales(ctx, commerce.SaleRefreshQuery{
		Org: at.Job.OrgID, Customer: p.CustomerID, Processor: product.Processor(p.Processor), Before: from.Before, Limit: syncBatch,
	})
	if err != nil {
		return step, err
	}
	err = s.Paying.Do(ctx, func(tx payment.Repos) error {
		for _, one := range found {
			if err := tx.Checkouts.Look(ctx, one.CheckoutID, s.Clock.Now()); err != nil {
				return err
			}
			from.Before = one.CheckoutID
		}
		return nil
	})
	if err != nil {
		return job.Step{}, err
	}
	step.Done, step.Finished = len(found), len(found) < syncBatch
	step.Saved, err = strictjson.Encode(from)
	return step, err
}
