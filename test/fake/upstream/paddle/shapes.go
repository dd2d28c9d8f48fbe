package paddle

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// shape is what a call may hold, by the reference of the operation.
type shape struct{ must, may string }

// shapes are the fields of calls, as https://developer.paddle.com/api-reference lists them;
// "one" stands for an object that is there.
func shapes() map[string]shape {
	price := "type name billing_cycle trial_period tax_mode unit_price_overrides quantity custom_data"
	address := "description first_line second_line city postal_code region custom_data country_code status"
	return map[string]shape{
		"POST products":                  {"name tax_category", "description type image_url custom_data"},
		"POST prices":                    {"description product_id unit_price", price},
		"POST discounts":                 {"amount description type", "enabled_for_checkout mode code currency_code recur maximum_recurring_intervals usage_limit restrict_to expires_at custom_data discount_group_id"},
		"POST transactions":              {"items", "status customer_id address_id business_id custom_data currency_code collection_mode discount_id discount billing_details billing_period checkout"},
		"POST adjustments":               {"action reason transaction_id", "items tax_mode type"},
		"PATCH one subscriptions":        {"", "customer_id address_id business_id currency_code next_billed_at discount collection_mode billing_details scheduled_change items custom_data proration_billing_mode on_payment_failure"},
		"POST subscriptions/cancel":      {"", "effective_from"},
		"PATCH one customers":            {"", "name email status custom_data locale"},
		"POST customers/addresses":       {"country_code", address},
		"PATCH one customers/addresses":  {"", address},
		"POST customers/businesses":      {"name", "company_number tax_identifier contacts custom_data"},
		"PATCH one customers/businesses": {"", "name company_number tax_identifier contacts custom_data status"},
		"POST customers/portal-sessions": {"", "subscription_ids"},
		"GET products":                   {"", "after id include order_by per_page status tax_category type"},
		"GET discounts":                  {"", "after code id include order_by per_page status mode discount_group_id"},
		"GET transactions":               {"", "after billed_at collection_mode created_at created_at[GTE] customer_id id include invoice_number order_by origin per_page status subscription_id updated_at"},
		"GET customers/addresses":        {"", "after id order_by per_page search status"},
		"GET customers/businesses":       {"", "after id order_by per_page search status"},
		"GET one transactions":           {"", "include"},
		"GET one subscriptions":          {"", "include"},
		"GET one prices":                 {"", "include"},
		"GET one discounts":              {"", "include"},
		"GET transactions/invoice":       {"", "disposition"},
	}
}

// longest is how long a page of a list may be.
func longest(place string) int {
	switch place {
	case "transactions":
		return 30
	case "adjustments":
		return 50
	}
	return 200
}

// shapeFault says what is wrong with the fields of a call; "" for nothing.
func shapeFault(method, place string, one bool, body map[string]any, query url.Values) string {
	name := method + " " + place
	if one {
		name = method + " one " + place
	}
	of, known := shapes()[name]
	if !known {
		return "there is no operation " + name
	}
	var given []string
	for field := range body {
		given = append(given, field)
	}
	for field := range query {
		given = append(given, field)
	}
	allowed := strings.Fields(of.must + " " + of.may)
	for _, field := range given {
		if !slices.Contains(allowed, field) {
			return name + " has no " + field
		}
	}
	for _, field := range strings.Fields(of.must) {
		if !slices.Contains(given, field) {
			return name + " must have " + field
		}
	}
	if most, err := strconv.Atoi(query.Get("per_page")); query.Has("per_page") && (err != nil || most < 1 || most > longest(place)) {
		return "per_page is too much for " + place
	}
	return ""
}
