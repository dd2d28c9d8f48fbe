package bootstrap

import (
	"time"

	"gatehouse.internal/adapters/pages"
	paymentadapter "gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/mollie"
	"gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/adapters/payment/paypal"
	"gatehouse.internal/adapters/payment/polar"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/adapters/pdf"
	"gatehouse.internal/adapters/sqlstore"
	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/billing"
	"gatehouse.internal/application/payment"
	domainbilling "gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

func (p *parts) billing() family {
	return family{service: p.billingService(), events: domainbilling.Events()}
}

func (p *parts) billingService() *billing.Service {
	return &billing.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) billing.Repos {
			return billing.Repos{Products: licensing.Products(tx), Prices: billingstore.Prices(tx), Coupons: billingstore.Coupons(tx)}
		}),
		Products:        licensing.ProductDirectory(p.store),
		Prices:          billingstore.PriceDirectory(p.store),
		Coupons:         billingstore.CouponDirectory(p.store),
		Sellers:         billingstore.Sellers(p.store),
		Sales:           billingstore.SaleDirectory(p.store),
		ProcessorEvents: billingstore.ProcessorEventDirectory(p.store),
		Licenses:        licensing.LicenseDirectory(p.store),
		Payments:        p.payments,
		Abilities:       abilities(),
		PendingSales:    billingstore.PendingSales(p.store),
		Jobs:            p.desk(),
		Customers:       billingstore.CustomerDirectory(p.store),
		Usage:           billingstore.UsageDirectory(p.store),
		Printer:         pdf.Printer{},
		Workspaces:      workspaces.WorkspaceDirectory(p.store),
		Host:            p.config.ServiceHost,
		Paying:          sqlstore.NewUnit(p.store, paymentRepos),
		Transactions:    p.store,
		Instance:        p.instance,
		AnySeller:       p.config.Development,
		ReturnURLs:      p.config.BillingReturnURLs,
		Cursors:         p.cursors,
		Clock:           p.clock,
		IDs:             p.ids,
	}
}

func paymentRepos(tx *sqlstore.Tx) payment.Repos {
	return payment.Repos{
		Coupons: billingstore.Coupons(tx), Customers: billingstore.Customers(tx), Checkouts: billingstore.Checkouts(tx),
		Subscriptions: billingstore.Subscriptions(tx), Invoices: billingstore.Invoices(tx), Payments: billingstore.Payments(tx),
		Refunds: billingstore.Refunds(tx), Intents: billingstore.Intents(tx), Usage: billingstore.Usage(tx), ProcessorEvents: billingstore.ProcessorEvents(tx),
		Products: licensing.Products(tx), Policies: licensing.Policies(tx), Licenses: licensing.Licenses(tx), Owners: licensing.Owners(tx),
		Workspaces: workspaces.Workspaces(tx), Books: workspaces.Books(tx), Events: tx.Events(),
	}
}

// processors returns the configured payment processors; pause is that of Options.
func (p *parts) processors(pause time.Duration) []commerce.Processor {
	var made []commerce.Processor
	for _, one := range p.config.Processors() {
		one.Clock, one.Pause = p.clock, pause
		made = append(made, adapters()[one.Processor].make(one))
	}
	return made
}

// processorAdapter is a payment processor with an adapter.
type processorAdapter struct {
	make      func(paymentadapter.Options) commerce.Processor
	abilities []domainbilling.Ability
}

func adapters() map[product.Processor]processorAdapter {
	return map[product.Processor]processorAdapter{
		stripe.Name: {func(o paymentadapter.Options) commerce.Processor { return stripe.New(o) }, (*stripe.Stripe)(nil).Abilities()},
		polar.Name:  {func(o paymentadapter.Options) commerce.Processor { return polar.New(o) }, (*polar.Polar)(nil).Abilities()},
		paddle.Name: {func(o paymentadapter.Options) commerce.Processor { return paddle.New(o) }, (*paddle.Paddle)(nil).Abilities()},
		mollie.Name: {func(o paymentadapter.Options) commerce.Processor { return mollie.New(o) }, (*mollie.Mollie)(nil).Abilities()},
		paypal.Name: {func(o paymentadapter.Options) commerce.Processor { return paypal.New(o) }, (*paypal.PayPal)(nil).Abilities()},
	}
}

// abilities returns the abilities of each payment processor, configured or not.
func abilities() map[product.Processor][]domainbilling.Ability {
	all := map[product.Processor][]domainbilling.Ability{}
	for name, one := range adapters() {
		all[name] = one.abilities
	}
	return all
}

// paddlePage configures the checkout page of Paddle; nil if Paddle is not configured.
func (p *parts) paddlePage() *pages.Paddle {
	for _, one := range p.config.Processors() {
		if one.Processor == paddle.Name {
			return &pages.Paddle{Token: one.ClientToken, Mode: one.Mode, Sales: billingstore.SaleDirectory(p.store)}
		}
	}
	return nil
}

// addPayments wires the payment processors, with the sandbox in development only.
func (p *parts) addPayments(sealing sealers, pause time.Duration) {
	processors := p.processors(pause)
	if p.config.Development {
		p.sandbox = &sandbox.Sandbox{
			Store: billingstore.SandboxSales(p.store), Key: mac.New(sealing.sandbox), Host: p.config.ServiceHost, Clock: p.clock,
		}
		processors = append(processors, p.sandbox)
	}
	p.payments = (&payment.Service{
		Unit: sqlstore.NewUnit(p.store, paymentRepos), Queues: billingstore.Queues(p.store), PendingSales: billingstore.PendingSales(p.store),
		ProcessorEvents: billingstore.ProcessorEventDirectory(p.store), Sales: billingstore.SaleDirectory(p.store),
		Prices: billingstore.PriceDirectory(p.store), Customers: billingstore.CustomerDirectory(p.store), Mirrors: billingstore.Mirrors(p.store),
		Turns:    billingstore.Turns(p.store),
		Products: licensing.ProductDirectory(p.store), Processors: processors, Patience: domainbilling.CallTime,
		Clock: p.clock, IDs: p.ids, Random: p.random, Logger: p.logger,
	}).Ready()
}
