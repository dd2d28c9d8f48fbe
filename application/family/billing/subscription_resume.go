package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

func (s *Service) subscriptionResume() command.Definition {
	return command.Define(command.Spec[SubscriptionParams, SubscriptionResult]{
		Name:    "BILLING.SUBSCRIPTION_RESUME",
		Summary: "Undo the cancellation of a subscription.",
		Description: "Works until the cancellation takes effect at the end of the period.\n\n" +
			"You can do this for your own subscriptions. With `billing:write`, you can also do it for subscriptions your workspace bought or sold.",
		Access: access.User().Scoped(writing),
		Effect: command.Outside,
		Emits:  applied(billing.KindSubscriptionResumed),
		Handle: func(ctx context.Context, call command.Call, p SubscriptionParams) (SubscriptionResult, error) {
			return s.changed(ctx, call.Caller, p.SubscriptionID, change{
				abilities: []billing.Ability{billing.CanResume}, intent: billing.Intent{Kind: billing.IntentResume}, may: (*billing.Subscription).MayResume,
			})
		},
	})
}
