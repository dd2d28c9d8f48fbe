// Package commerce is the room of licenses, products, prices and payments.
package commerce

import (
	"slices"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/payment/paddle"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room.
func on(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// Routes returns the pages of the room. Those of Paddle exist if it is a configured payment
// processor.
func Routes(by *Paddle) []kit.Route {
	return slices.Concat(vendingRoutes(), billingRoutes(), paddleRoutes(by))
}

// Paths returns the path prefixes of the room that are not below /account.
func Paths() []string { return []string{paddle.PagePath} }
