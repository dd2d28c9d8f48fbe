package pages

import (
	"errors"
	"strings"

	adapter "gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Paddle is what the page needs on which buyers pay by Paddle, who has no page of its own.
type Paddle struct {
	// Token is the client-side token, by which Paddle knows the page; everybody may read it.
	Token string
	Mode  billing.Mode
	Sales ports.SaleDirectory
}

// paddlePaths returns what these pages answer for Paddle.
func paddlePaths() []string { return []string{adapter.PagePath} }

// paddleRoutes returns the page of a checkout, and the one to which Paddle sends from its mails;
// none where nothing is sold by Paddle.
func (s *Site) paddleRoutes() []route {
	if s.Paddle == nil {
		return nil
	}
	return []route{{"GET " + adapter.PagePath, everybody, (*visit).paddle}, {"GET " + adapter.PagePath + "/{id}", everybody, (*visit).paddle}}
}

// paddleData is what the page shows.
type paddleData struct {
	Token string
	Test  bool
	// SuccessURL and CancelURL are where the browser goes afterwards; empty: it stays.
	SuccessURL, CancelURL string
	// Paid and Over report whether nothing is left to pay, by a purchase or without one.
	Paid, Over bool
}

// paddle runs Paddle.js, which opens the transaction that the address names. A checkout that
// is over opens none: its place may have gone to somebody else.
func (v *visit) paddle() error {
	by := v.site.Paddle
	data := paddleData{Token: by.Token, Test: by.Mode == billing.Test}
	if id := v.r.PathValue("id"); id != "" {
		of, err := by.Sales.Checkout(v.r.Context(), billing.CheckoutID(id))
		if err == nil && of.Account != (billing.Account{Processor: adapter.Name, Mode: by.Mode}) {
			err = billing.ErrNoCheckout
		}
		if errors.Is(err, billing.ErrNoCheckout) {
			return errNoPage
		}
		if err != nil {
			return err
		}
		ended := !of.ExpiresAt.IsZero() && !v.site.Clock.Now().Before(of.ExpiresAt)
		data.SuccessURL, data.CancelURL = of.SuccessURL, of.CancelURL
		data.Paid = of.Status == billing.CheckoutCompleted
		data.Over = !data.Paid && (ended || of.Status == billing.CheckoutExpired || of.Status == billing.CheckoutFailed)
	}
	v.paddled = !data.Paid && !data.Over
	return v.show("paddle", "Payment", data)
}

// paddlePolicy returns the Content-Security-Policy of that page alone. Paddle wants its script from
// its own address, brings its style sheet, and shows the checkout in a frame
// (https://developer.paddle.com/paddle-js/about/include-paddlejs).
func paddlePolicy(logo string, mode billing.Mode) string {
	files, frame := "https://cdn.paddle.com", "https://buy.paddle.com"
	if mode == billing.Test {
		files, frame = "https://cdn.paddle.com https://sandbox-cdn.paddle.com", "https://sandbox-buy.paddle.com https://sandbox-cdn.paddle.com"
	}
	return "default-src 'none'; style-src 'self' " + files + "; script-src 'self' " + files + "; connect-src 'self' https://*.paddle.com; img-src " +
		strings.TrimSpace("'self' data: "+files+" "+logo) + "; frame-src " + frame + "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
