package paddle

import (
	"context"
	"net/url"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// Fetch returns all facts of the sale of a transaction; none if it is not ours.
func (p *Paddle) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	at := p.options.Clock.Now()
	found, err := p.transaction(ctx, id)
	if err != nil {
		return nil, err
	}
	if by := payment.Value(found.SubscriptionID); by != "" {
		return p.bySubscription(ctx, by)
	}
	sale := saleOf(found)
	if sale == "" {
		return nil, nil
	}
	return view{at, sale}.all([]*api.Transaction{found}), nil
}

// transaction returns a transaction with its adjustments.
func (p *Paddle) transaction(ctx context.Context, id string) (*api.Transaction, error) {
	return present(p.api.GetTransaction(ctx, &api.GetTransactionRequest{TransactionID: url.PathEscape(id), IncludeAdjustments: true}))
}

// bySubscription fetches the sale of a subscription with all its transactions. The first one is the checkout.
func (p *Paddle) bySubscription(ctx context.Context, id string) ([]billing.Fact, error) {
	by := view{at: p.options.Clock.Now()}
	held, err := p.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	var charged []*api.Transaction
	first, err := p.api.ListTransactions(ctx, &api.ListTransactionsRequest{
		SubscriptionID: []string{id}, IncludeAdjustments: true, PerPage: new(transactionsPage),
	})
	for one, err := range list(ctx, first, err) {
		if err != nil {
			return nil, err
		}
		if sale := saleOf(one); sale != "" {
			by.checkout = sale
		}
		charged = append(charged, one)
	}
	if by.checkout == "" {
		return nil, nil
	}
	return append(by.all(charged), by.subscription(held)), nil
}

func (p *Paddle) subscription(ctx context.Context, id string) (*api.Subscription, error) {
	return present(p.api.GetSubscription(ctx, &api.GetSubscriptionRequest{SubscriptionID: url.PathEscape(id)}))
}
