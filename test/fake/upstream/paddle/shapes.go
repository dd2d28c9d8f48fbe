package paddle

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shapes are the fields that calls may hold, by their method and path, where one stands for an
// object that is there: those of the request bodies and parameters in
// https://github.com/PaddleHQ/paddle-openapi/blob/main/v1/openapi.yaml (of February 2026). A
// field that must be there ends with *; what follows the colon is its kind: in braces another
// shape, in brackets a list of it, ? for one that may be null, and for a text how long it may
// be.
func shapes() map[string]string {
	const terms = " description*:string/2-500 name:string?/1-150 billing_cycle:{cycle}? trial_period:{cycle}? tax_mode:string unit_price*:{money} " +
		"unit_price_overrides:list quantity:{range} custom_data:object?"
	const address = " first_line:string?/0-1024 second_line:string?/0-1024 city:string?/0-200 postal_code:string?/0-200 region:string?/0-200 " +
		"description:string?/0-1024 custom_data:object?"
	const business = " company_number:string?/0-1024 tax_identifier:string?/0-1024 contacts:list? custom_data:object?"
	return map[string]string{
		"money": "amount*:string currency_code*:string/3-3", "cycle": "interval*:string frequency*:number", "range": "minimum*:number maximum*:number",
		"inline": "product_id:string" + terms, "bought": "price_id:string price:{inline} quantity*:number", "held": "price_id:string price:{inline} quantity:number",
		"adjusted": "item_id*:string type*:string amount:string?", "page": "url:string?/1-2048", "reduced": "id*:string effective_from*:string",

		"POST products": "name*:string/1-200 tax_category*:string description:string?/0-2048 type:string image_url:string? custom_data:object?",
		"POST prices":   "product_id*:string type:string" + terms,
		"POST discounts": "amount*:string description*:string/1-500 type*:string enabled_for_checkout:bool mode:string code:string?/1-32 currency_code:string?/3-3 " +
			"recur:bool maximum_recurring_intervals:number? usage_limit:number? restrict_to:list? expires_at:string? custom_data:object?",
		"POST transactions": "items*:[bought] status:string customer_id:string? address_id:string? business_id:string? custom_data:object? currency_code:string?/3-3 " +
			"collection_mode:string discount_id:string? billing_details:object? billing_period:object? checkout:{page}?",
		"POST adjustments": "action*:string reason*:string transaction_id*:string items:[adjusted]? tax_mode:string type:string",
		"PATCH one subscriptions": "customer_id:string address_id:string business_id:string? currency_code:string next_billed_at:string discount:{reduced}? " +
			"collection_mode:string billing_details:object? scheduled_change:null items:[held] custom_data:object? proration_billing_mode:string on_payment_failure:string",
		"POST subscriptions/cancel":      "effective_from:string?",
		"PATCH one customers":            "name:string?/0-1024 email:string/1-320 status:string custom_data:object? locale:string",
		"POST customers/addresses":       "country_code*:string" + address,
		"PATCH one customers/addresses":  "country_code:string status:string" + address,
		"POST customers/businesses":      "name*:string/0-1024" + business,
		"PATCH one customers/businesses": "name:string/0-1024 status:string" + business,
		"POST customers/portal-sessions": "subscription_ids:list",
	}
}

// asked are the parameters of what is read, of the same description.
func asked() map[string]string {
	return map[string]string{
		"products": "after id include order_by per_page status tax_category type", "discounts": "after code id order_by per_page status mode",
		"transactions": "after billed_at collection_mode created_at customer_id id include invoice_number order_by origin per_page status " +
			"subscription_id updated_at",
		"customers/addresses": "after id order_by per_page search status", "customers/businesses": "after id order_by per_page search status",
		"one transactions": "include", "one subscriptions": "include", "one prices": "include", "one discounts": "", "transactions/invoice": "disposition",
	}
}

// words are what fields may say, of the same description.
func words() map[string]string {
	return map[string]string{
		"interval": "day week month year", "tax_mode": "account_setting external internal", "action": "credit refund", "effective_from": "next_billing_period immediately",
		"collection_mode": "automatic manual", "tax_category": "digital-goods ebooks implementation-services professional-services saas " +
			"software-programming-services standard training-services website-hosting",
		"proration_billing_mode": "prorated_immediately prorated_next_billing_period full_immediately full_next_billing_period do_not_bill",
		"type":                   "full partial tax proration flat flat_per_seat percentage custom standard",
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

var identifier = regexp.MustCompile(`^[a-z]+_[a-z\d]{26}$`)

// shapeFault says what is wrong with the fields of a call; "" for nothing.
func shapeFault(method, place string, one bool, body map[string]any, query url.Values) string {
	if one {
		place = "one " + place
	}
	if method == "GET" {
		return queryFault(place, query)
	}
	shape, known := shapes()[method+" "+place]
	if !known {
		return "there is no operation " + method + " " + place
	}
	return mismatch(shape, body)
}

func queryFault(place string, query url.Values) string {
	allowed, known := asked()[place]
	if !known {
		return "there is no operation GET " + place
	}
	for name := range query {
		if base, _, _ := strings.Cut(name, "["); !slices.Contains(strings.Fields(allowed), base) {
			return place + " are not narrowed by " + name
		}
	}
	if most, err := strconv.Atoi(query.Get("per_page")); query.Has("per_page") && (err != nil || most < 1 || most > longest(place)) {
		return "per_page is too much for " + place
	}
	return ""
}

// mismatch says what of an object is not of a shape.
func mismatch(shape string, sent map[string]any) string {
	kinds := map[string]string{}
	for field := range strings.FieldsSeq(shape) {
		name, kind, _ := strings.Cut(field, ":")
		name, must := strings.CutSuffix(name, "*")
		if _, there := sent[name]; must && !there {
			return name + " is missing"
		}
		kinds[name] = kind
	}
	for name, value := range sent {
		kind, known := kinds[name]
		if !known {
			return "there is no field " + name
		}
		if fault := kindFault(name, kind, value); fault != "" {
			return fault
		}
	}
	return ""
}

// kindFault says what of a value is not of a kind.
func kindFault(name, kind string, value any) string {
	kind, length, _ := strings.Cut(kind, "/")
	base, nullable := strings.CutSuffix(kind, "?")
	if value == nil && (nullable || base == "null") {
		return ""
	}
	shape := shapes()[strings.Trim(base, "{}[]")]
	switch of := value.(type) {
	case map[string]any:
		if strings.HasPrefix(base, "{") {
			return mismatch(shape, of)
		}
	case []any:
		for _, each := range of {
			if one, ok := each.(map[string]any); ok && strings.HasPrefix(base, "[") {
				if fault := mismatch(shape, one); fault != "" {
					return fault
				}
			}
		}
	case string:
		if fault := textFault(name, length, of); fault != "" {
			return fault
		}
	}
	is := map[string]string{"string": "string", "float64": "number", "bool": "bool", "[]interface {}": "list", "map[string]interface {}": "object"}[fmt.Sprintf("%T", value)]
	want := base
	switch base[0] {
	case '{':
		want = "object"
	case '[':
		want = "list"
	}
	if is != want {
		return fmt.Sprintf("%s is %s, not %s", name, is, kind)
	}
	return ""
}

func textFault(name, length, text string) string {
	least, most := 0, 1<<16
	if length != "" {
		_, _ = fmt.Sscanf(length, "%d-%d", &least, &most)
	}
	if letters := len([]rune(text)); letters < least || letters > most {
		return fmt.Sprintf("%s is not of %s characters", name, length)
	}
	if strings.HasSuffix(name, "_id") && !identifier.MatchString(text) {
		return name + " is no identifier"
	}
	if allowed, narrow := words()[name]; narrow && !slices.Contains(strings.Fields(allowed), text) {
		return name + " says " + text
	}
	return ""
}
