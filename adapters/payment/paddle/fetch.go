package paddle

import (
	"context"
	"net/url"

	"gatehouse.internal/domain/billing"
)

func adjusted() url.Values { return url.Values{"include": {"adjustment"}} }

// Fetch returns all that Paddle knows of a sale; nothing for one that is not ours.
func (p *Paddle) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	at := p.options.Clock.Now()
	var found transaction
	if err := p.get(ctx, "transactions/"+url.PathEscape(id), adjusted(), &found); err != nil {
		return nil, err
	}
	if found.Subscription != "" {
		return p.bySubscription(ctx, found.Subscription)
	}
	sale := found.sale()
	if sale == "" {
		return nil, nil
	}
	return view{at, sale}.all([]transaction{found}), nil
}

// bySubscription fetches the sale of a subscription: it, and all that was charged for it. The
// first of that is the checkout.
func (p *Paddle) bySubscription(ctx context.Context, id string) ([]billing.Fact, error) {
	by := view{at: p.options.Clock.Now()}
	held, err := p.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	var charged []transaction
	fields := adjusted()
	fields.Set("subscription_id", id)
	for one, err := range list[transaction](ctx, p, "transactions", fields, transactionsPage) {
		if err != nil {
			return nil, err
		}
		if sale := one.sale(); sale != "" {
			by.checkout = sale
		}
		charged = append(charged, one)
	}
	if by.checkout == "" {
		return nil, nil
	}
	return append(by.all(charged), by.subscription(held)), nil
}

func (p *Paddle) subscription(ctx context.Context, id string) (held subscription, err error) {
	err = p.get(ctx, "subscriptions/"+url.PathEscape(id), nil, &held)
	return held, err
}
