package polar

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// shapes are the fields that calls may send, by their method and path: those of the schemas
// ProductCreate, MeterCreate, DiscountCreate, CustomerCreate, CheckoutProductsCreate,
// SubscriptionUpdate, RefundCreate, CustomerSessionCustomerIDCreate, CustomerUpdate and
// EventsIngest of https://polar.sh/docs/openapi/2026-04.openapi.json. A field that must be
// there ends with *; what follows the colon is its kind, ? for one that may be null.
func shapes() map[string]string {
	return map[string]string{
		"POST products": "name*:string description:string? visibility:string prices*:list metadata:object recurring_interval:string? trial_interval:string? trial_interval_count:number?",
		"POST meters":   "name*:string filter*:object aggregation*:object metadata:object unit:string",
		"POST discounts": "name*:string code:string? type:string duration*:string duration_in_months:number? basis_points:number amounts:object " +
			"max_redemptions:number? metadata:object",
		"POST customers":   "type:string external_id:string? email:string? name:string? owner:object billing_address:object? tax_id:string? metadata:object",
		"PATCH customers/": "email:string? name:string? billing_address:object? tax_id:string? metadata:object",
		"POST checkouts": "products*:list currency:string? seats:number? min_seats:number? max_seats:number? discount_id:string? allow_discount_codes:bool " +
			"allow_trial:bool trial_interval:string? trial_interval_count:number? customer_id:string? customer_email:string? customer_name:string? " +
			"external_customer_id:string? success_url:string? return_url:string? metadata:object",
		"PATCH subscriptions/":   "product_id:string? seats:number discount_id:string? proration_behavior:string? cancel_at_period_end:bool metadata:object",
		"POST refunds":           "order_id*:string reason*:string amount*:number comment:string? revoke_benefits:bool metadata:object",
		"POST customer-sessions": "customer_id*:string return_url:string? member_id:string? external_member_id:string?",
		"POST events/ingest":     "events*:list",
		"POST orders/invoice":    "",
		"DELETE subscriptions/":  "",
	}
}

// asked are the parameters that narrow lists, of the same description.
func asked() map[string][]string {
	return map[string][]string{
		"products": {"metadata", "query"}, "meters": {"metadata", "query"}, "discounts": {"query"}, "subscriptions": {"metadata", "customer_id"},
		"orders": {"checkout_id", "subscription_id", "customer_id", "metadata"}, "payments": {"checkout_id", "order_id", "customer_id"},
		"refunds": {"order_id", "subscription_id"}, "disputes": {"order_id"},
	}
}

// mostMarks is how many keys metadata may have.
const mostMarks = 50

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// flaws says what of a call is not as the description has it; "" for nothing.
func flaws(r *http.Request, kind, id, under string, sent object) string {
	if r.Method == http.MethodGet {
		return narrowing(r, kind, id)
	}
	path := kind
	switch {
	case kind == "events":
		path += "/" + id
	case id != "" && under != "":
		path += "/" + under
	case id != "":
		path += "/"
	case !strings.HasSuffix(r.URL.Path, "/"):
		return "there is a slash missing"
	}
	shape, known := shapes()[r.Method+" "+path]
	if !known {
		return "there is no " + r.Method + " " + path
	}
	if id != "" && kind != "events" && !uuid.MatchString(id) {
		return "no UUID"
	}
	return mismatch(shape, sent)
}

func mismatch(shape string, sent object) string {
	kinds := map[string]string{}
	for field := range strings.FieldsSeq(shape) {
		name, kind, _ := strings.Cut(field, ":")
		name, must := strings.CutSuffix(name, "*")
		if kinds[name] = kind; must && sent[name] == nil {
			return name + " is missing"
		}
	}
	for name, value := range sent {
		kind, known := kinds[name]
		is := map[bool]string{true: "null"}[value == nil]
		switch value.(type) {
		case string:
			is = "string"
		case float64:
			is = "number"
		case bool:
			is = "bool"
		case []any:
			is = "list"
		case object:
			is = "object"
		}
		if base, nullable := strings.CutSuffix(kind, "?"); !known || (is != base && (!nullable || is != "null")) {
			return fmt.Sprintf("%s is %s, not %s", name, is, kind)
		}
		if text, _ := value.(string); strings.HasSuffix(name, "_id") && !strings.HasPrefix(name, "external") && name != "tax_id" && text != "" && !uuid.MatchString(text) {
			return name + " is no UUID"
		}
	}
	if marks, _ := sent["metadata"].(object); len(marks) > mostMarks {
		return "metadata has too many keys"
	}
	return ""
}

func narrowing(r *http.Request, kind, id string) string {
	if id != "" {
		return ""
	}
	if !strings.HasSuffix(r.URL.Path, "/") {
		return "there is a slash missing"
	}
	for name := range r.URL.Query() {
		base, _, _ := strings.Cut(name, "[")
		if base != "page" && base != "limit" && !slices.Contains(asked()[kind], base) {
			return kind + " are not narrowed by " + name
		}
	}
	return ""
}
