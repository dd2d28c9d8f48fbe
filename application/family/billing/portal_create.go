package billing

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

var errNothingBought = fault.New(fault.NotFound, "no customer portal available: buy something first")

// PortalCreateParams are the parameters of BILLING.PORTAL_CREATE.
type PortalCreateParams struct {
	ReturnURL string       `json:"return_url" doc:"URL the browser returns to. Must be registered by the seller or by the operator of the instance." jsonschema:"format=uri,maxLength=2048,example=https://app.example.com/account"`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace whose portal to open. Requires billing:write in that workspace. Omit to open your own." example:"-"`
}

// PortalCreateResult is the result of BILLING.PORTAL_CREATE.
type PortalCreateResult struct {
	URL       string    `json:"url" doc:"URL of the portal to send the browser to."`
	ExpiresAt time.Time `json:"expires_at" doc:"When the URL expires."`
}

func (s *Service) portalCreate() command.Definition {
	return command.Define(command.Spec[PortalCreateParams, PortalCreateResult]{
		Name:    "BILLING.PORTAL_CREATE",
		Summary: "Open the payment processor's customer portal.",
		Description: "Buyers manage their cards and addresses there. Opens the portal for your newest customer record, or for the newest one of a " +
			"workspace.\n\n" +
			"Not every processor has a portal: BILLING.CUSTOMER_GET returns whether one is available.",
		Access:      access.User().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Outside,
		Emits:       []event.Kind{billing.KindPortalOpened},
		Handle: func(ctx context.Context, call command.Call, p PortalCreateParams) (PortalCreateResult, error) {
			of, err := s.visitor(ctx, call.Caller, p.OrgID)
			if err != nil {
				return PortalCreateResult{}, err
			}
			if err := s.returnable(ctx, "/return_url", p.ReturnURL, of.OrgID); err != nil {
				return PortalCreateResult{}, err
			}
			to, err := s.portal(of)
			if err != nil {
				return PortalCreateResult{}, err
			}
			err = s.Paying.Do(ctx, func(tx payment.Repos) error {
				held, err := tx.Customers.ByID(ctx, of.ID)
				if err != nil {
					return err
				}
				held.Visited()
				return tx.Customers.Save(ctx, held)
			})
			if err != nil {
				return PortalCreateResult{}, err
			}
			made, err := s.Payments.Portal(ctx, to, commerce.PortalOrder{CustomerID: of.ProcessorID, ReturnURL: p.ReturnURL}, s.pause(ctx))
			return PortalCreateResult{URL: made.URL, ExpiresAt: made.ExpiresAt}, err
		},
	})
}

// portal returns the processor that has a portal for a customer.
func (s *Service) portal(of billing.CustomerSnapshot) (commerce.Processor, error) {
	to, err := s.Payments.Of(of.Account)
	if err == nil {
		err = payment.Able(to, billing.CanPortal)
	}
	if err != nil {
		return nil, err
	}
	if of.ProcessorID == "" {
		return nil, errNothingBought
	}
	return to, nil
}

// visitor returns the newest customer that a caller is, or that a workspace of theirs is.
func (s *Service) visitor(ctx context.Context, caller access.Caller, org workspace.ID) (billing.CustomerSnapshot, error) {
	buyer := billing.Buyer{UserID: caller.User}
	if org != "" {
		if !caller.May(writing) {
			return billing.CustomerSnapshot{}, errWrites
		}
		buyer = billing.Buyer{OrgID: org}
	}
	found, err := s.Customers.Find(ctx, commerce.CustomerQuery{Buyer: buyer})
	if errors.Is(err, billing.ErrNoCustomer) {
		err = errNothingBought
	}
	return found, err
}
