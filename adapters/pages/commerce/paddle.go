package commerce

import (
	"errors"
	"strings"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Paddle configures the checkout page of Paddle, which hosts none of its own.
type Paddle struct {
	// Token is the client-side token; it is public.
	Token string
	Mode  billing.Mode
	Sales commerce.SaleDirectory
}

// paddleRoutes returns the checkout page, and the default payment link that Paddle's
// mails lead to; none if Paddle is not configured.
func paddleRoutes(by *Paddle) []kit.Route {
	if by == nil {
		return nil
	}
	page := func(v *visit) error { return v.paddle(by) }
	return []kit.Route{on("GET "+paddle.PagePath, kit.Everybody, page), on("GET "+paddle.PagePath+"/{id}", kit.Everybody, page)}
}

// paddleData is the data of the checkout page.
type paddleData struct {
	Token string
	Test  bool
	// SuccessURL and CancelURL are where the browser continues; empty to stay on the
	// page.
	SuccessURL, CancelURL string
	// Paid and Over report whether the checkout is completed or expired.
	Paid, Over bool
}

// paddle runs Paddle.js, which opens the transaction in the query. A checkout that has
// ended opens none, since what it reserved may have been released.
func (v *visit) paddle(by *Paddle) error {
	data := paddleData{Token: by.Token, Test: by.Mode == billing.Test}
	if id := v.Request.PathValue("id"); id != "" {
		of, err := by.Sales.Checkout(v.Request.Context(), billing.CheckoutID(id))
		if err == nil && of.Account != (billing.Account{Processor: paddle.Name, Mode: by.Mode}) {
			err = billing.ErrNoCheckout
		}
		if errors.Is(err, billing.ErrNoCheckout) {
			return kit.ErrNoPage
		}
		if err != nil {
			return err
		}
		ended := !of.ExpiresAt.IsZero() && !v.Site.Clock.Now().Before(of.ExpiresAt)
		data.SuccessURL, data.CancelURL = of.SuccessURL, of.CancelURL
		data.Paid = of.Status == billing.CheckoutCompleted
		data.Over = !data.Paid && (ended || of.Status == billing.CheckoutExpired || of.Status == billing.CheckoutFailed)
	}
	if !data.Paid && !data.Over {
		// Paddle checks the referring site, and opens windows for bank authentication.
		v.Headers = map[string]string{
			"Content-Security-Policy":    paddlePolicy(v.Look().Logo.Origin(), by.Mode),
			"Referrer-Policy":            "strict-origin-when-cross-origin",
			"Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		}
	}
	return v.Show("paddle", "Payment", data)
}

// paddlePolicy returns the Content-Security-Policy of the checkout page: Paddle's
// script, its styles and its frame are allowed
// (https://developer.paddle.com/paddle-js/about/include-paddlejs).
func paddlePolicy(logo string, mode billing.Mode) string {
	files, frame := "https://cdn.paddle.com", "https://buy.paddle.com"
	if mode == billing.Test {
		files, frame = "https://cdn.paddle.com https://sandbox-cdn.paddle.com", "https://sandbox-buy.paddle.com https://sandbox-cdn.paddle.com"
	}
	return "default-src 'none'; style-src 'self' " + files + "; script-src 'self' " + files + "; connect-src 'self' https://*.paddle.com; img-src " +
		strings.TrimSpace("'self' data: "+files+" "+logo) + "; frame-src " + frame + "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
