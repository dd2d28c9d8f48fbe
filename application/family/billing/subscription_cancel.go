package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

// SubscriptionCancelParams are the parameters of BILLING.SUBSCRIPTION_CANCEL.
type SubscriptionCancelParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"ID of the subscription."`
	AtPeriodEnd    *bool                  `json:"at_period_end,omitzero" doc:"Whether the subscription continues until its period ends. If false, it ends immediately. Defaults to true."`
	Reason         string                 `json:"reason,omitzero" doc:"Reason, for the seller." jsonschema:"maxLength=500"`
}

func (s *Service) subscriptionCancel() command.Definition {
	return command.Define(command.Spec[SubscriptionCancelParams, SubscriptionResult]{
		Name:    "BILLING.SUBSCRIPTION_CANCEL",
		Summary: "Cancel a subscription.",
		Description: "By default, the subscription continues until the end of its period. Until then, you can undo the cancellation with " +
			"BILLING.SUBSCRIPTION_RESUME.\n\n" +
			"You can do this for your own subscriptions. With `billing:write`, you can also do it for subscriptions your workspace bought or sold.",
		Access: access.User().Scoped(writing),
		Effect: command.Outside,
		Emits:  applied(billing.KindSubscriptionCanceled),
		Handle: func(ctx context.Context, call command.Call, p SubscriptionCancelParams) (SubscriptionResult, error) {
			atPeriodEnd := p.AtPeriodEnd == nil || *p.AtPeriodEnd
			return s.changed(ctx, call.Caller, p.SubscriptionID, change{
				abilities: []billing.Ability{billing.CanCancel}, intent: billing.Intent{Kind: billing.IntentCancel, AtPeriodEnd: atPeriodEnd},
				may: func(sub *billing.Subscription) error { return sub.MayCancel(atPeriodEnd, p.Reason) },
			})
		},
	})
}

// change is a change of a subscription at its processor.
type change struct {
	// abilities are what the processor must be able to do.
	abilities []billing.Ability
	intent    billing.Intent
	// may fails if the state of the subscription does not allow the change.
	may func(*billing.Subscription) error
	// hold reserves what the change needs, in the same unit of work; nil if it needs nothing.
	hold func(tx payment.Repos, i *billing.Intent) error
}

// begin stores the intent of a change, under the lock of its sale.
func (c change) begin(ctx context.Context, tx payment.Repos, i *billing.Intent) error {
	if _, err := tx.Checkouts.ByID(ctx, i.CheckoutID); err != nil {
		return err
	}
	sub, err := tx.Subscriptions.ByID(ctx, billing.SubscriptionID(i.Subject))
	if err == nil {
		err = c.may(sub)
	}
	if err == nil && c.hold != nil {
		err = c.hold(tx, i)
	}
	if err != nil {
		return err
	}
	return tx.Subscriptions.Save(ctx, sub)
}

// changeable returns a subscription that a caller may change.
func (s *Service) changeable(ctx context.Context, caller access.Caller, id billing.SubscriptionID) (billing.SubscriptionSnapshot, error) {
	found, err := s.Sales.Subscription(ctx, id)
	if err == nil && !changes(caller, found.Sale) {
		err = billing.ErrNoSubscription
	}
	return found, err
}

// changed changes a subscription at its processor. The intent is stored first.
func (s *Service) changed(ctx context.Context, caller access.Caller, id billing.SubscriptionID, c change) (result SubscriptionResult, err error) {
	found, err := s.changeable(ctx, caller, id)
	if err != nil {
		return result, err
	}
	at, err := s.Payments.Of(found.Account)
	if err == nil {
		err = payment.Able(at, c.abilities...)
	}
	if err != nil {
		return result, err
	}
	i := c.intent
	i.CheckoutID, i.Subject, i.Account = found.CheckoutID, id.String(), found.Account
	err = s.Paying.Do(ctx, func(tx payment.Repos) error {
		if err := c.begin(ctx, tx, &i); err != nil {
			return err
		}
		i, err = s.Payments.Intend(ctx, tx, i)
		return err
	})
	if err != nil {
		return result, err
	}
	if _, err := s.Payments.Carry(ctx, i, s.pause(ctx)); err != nil {
		return result, err
	}
	found, err = s.Sales.Subscription(ctx, id)
	result.Subscription = showSubscription(found)
	return result, err
}
