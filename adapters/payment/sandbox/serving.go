package sandbox

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// portalLife is how long a session of the portal is valid.
const portalLife = time.Hour

// PortalSession is a session of the portal of a customer.
type PortalSession struct {
	CustomerID string    `json:"customer_id"`
	ReturnURL  string    `json:"return_url"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// CreatePortal creates a session of the portal, once for a key.
func (s *Sandbox) CreatePortal(ctx context.Context, order commerce.PortalOrder, key string) (commerce.Portal, error) {
	id := "sbp_" + key[strings.LastIndexByte(key, '_')+1:]
	made := PortalSession{CustomerID: order.CustomerID, ReturnURL: order.ReturnURL, ExpiresAt: s.Clock.Now().Add(portalLife)}
	content, err := json.Marshal(made)
	if err != nil {
		return commerce.Portal{}, fmt.Errorf("encode a visit: %w", err)
	}
	if _, err := s.Store.Put(ctx, id, string(content), 0); err != nil {
		return commerce.Portal{}, err
	}
	return commerce.Portal{URL: s.Host + "/dev/payments/portal/" + id, ExpiresAt: made.ExpiresAt}, nil
}

// Portal returns a session of the portal. It fails with ErrNoSale, also for an expired one.
func (s *Sandbox) Portal(ctx context.Context, id string) (PortalSession, error) {
	content, _, err := s.Store.Get(ctx, id)
	if err == nil && (content == "" || !strings.HasPrefix(id, "sbp_")) {
		err = ErrNoSale
	}
	if err != nil {
		return PortalSession{}, err
	}
	var found PortalSession
	if err := json.Unmarshal([]byte(content), &found); err != nil {
		return PortalSession{}, fmt.Errorf("decode a visit: %w", err)
	}
	if !s.Clock.Now().Before(found.ExpiresAt) {
		return PortalSession{}, ErrNoSale
	}
	return found, nil
}

// UpdateCustomer does nothing, because we print the invoices of the sandbox.
func (*Sandbox) UpdateCustomer(context.Context, billing.CustomerSnapshot, string) error { return nil }

// ReportUsage adds usage, which the next renewal charges.
func (s *Sandbox) ReportUsage(ctx context.Context, report commerce.UsageReport, key string) error {
	_, err := s.once(ctx, report.SubscriptionID, key, func(of *Sale, _ time.Time) (billing.Fact, error) {
		if !of.Metered || !of.running() {
			return billing.Fact{}, billing.ErrRefused
		}
		of.Used += report.Quantity
		return *of.subscription(), nil
	})
	return err
}

// InvoicePDF fails, because the sandbox has no documents.
func (*Sandbox) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.Unable(billing.Sandbox, billing.CanPDF)
}
