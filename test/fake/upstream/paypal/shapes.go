package paypal

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// shapes are the fields that calls may send: those that the operations have in
// https://github.com/paypal/paypal-rest-api-specifications (openapi/checkout_orders_v2.json 2.13,
// payments_payment_v2.json 2.5, billing_subscriptions_v1.json 1.6, catalogs_products_v1.json 1.0),
// and those of the objects in them, by the names of these. A field that must be there ends with
// *; what follows the colon is its kind.
func shapes() map[string]string {
	const context = "brand_name:string locale:string shipping_preference:string return_url*:string cancel_url*:string user_action:string "
	return map[string]string{
		"POST order":         "intent*:string payer:object purchase_units*:list payment_source:object application_context:object",
		"POST order/capture": "payment_source:object",
		"purchase_units": "reference_id:string amount*:object payee:object payment_instruction:object description:string custom_id:string invoice_id:string " +
			"soft_descriptor:string items:list shipping:object supplementary_data:object",
		"amount": "currency_code*:string value*:string breakdown:object",
		"paypal": "vault_id:string email_address:string name:object phone:object birth_date:string tax_info:object address:object attributes:object " +
			"experience_context:object billing_agreement_id:string",
		"experience_context":         context + "landing_page:string payment_method_preference:string",
		"application_context":        context + "payment_method:object",
		"payment_method":             "payer_selected:string payee_preferred:string",
		"POST capture/refund":        "amount:object custom_id:string invoice_id:string note_to_payer:string payment_instruction:object",
		"POST product":               "id:string name*:string description:string type*:string category:string image_url:string home_url:string",
		"POST plan":                  "product_id*:string name*:string status:string description:string billing_cycles*:list payment_preferences*:object taxes:object quantity_supported:bool",
		"billing_cycles":             "pricing_scheme:object frequency*:object tenure_type*:string sequence*:number total_cycles:number",
		"pricing_scheme":             "fixed_price:object pricing_model:string tiers:list",
		"frequency":                  "interval_unit*:string interval_count:number",
		"payment_preferences":        "auto_bill_outstanding:bool setup_fee:object setup_fee_failure_action:string payment_failure_threshold:number",
		"POST subscription":          "plan_id*:string start_time:string quantity:string shipping_amount:object subscriber:object auto_renewal:bool application_context:object custom_id:string plan:object",
		"subscriber":                 "email_address:string payer_id:string name:object phone:object birth_date:string tax_info:object address:object shipping_address:object payment_source:object",
		"POST subscription/cancel":   "reason*:string",
		"POST subscription/suspend":  "reason*:string",
		"POST subscription/activate": "reason:string",
	}
}

// reads are what can be read, and what narrows or widens that, of the same descriptions and of
// customer_disputes_v1.json 1.10 and payments_payment_v1.json.
func reads() map[string]string {
	return map[string]string{
		"GET order/": "fields", "GET capture/": "", "GET refund/": "", "GET transaction/": "", "GET product/": "", "GET subscription/": "fields", "GET dispute/": "",
		"GET plan": "product_id plan_ids page_size page total_required", "GET subscription/transactions": "start_time end_time",
		"GET dispute": "start_time disputed_transaction_id page_size next_page_token dispute_state update_time_before update_time_after",
	}
}

// lengths are how long texts may be, in characters.
func lengths() map[string]int {
	return map[string]int{"custom_id": 127, "description": 127, "name": 127, "reason": 128, "note_to_payer": 255, "id": 50, "product_id": 50}
}

var (
	decimal = regexp.MustCompile(`^\d+(\.\d\d)?$`)
	word    = regexp.MustCompile(`^[A-Za-z0-9-_.,]*$`)
)

// currencies are those that PayPal takes, the first three without decimals
// (https://developer.paypal.com/api/rest/reference/currency-codes/).
const currencies = "HUF JPY TWD AUD BRL CAD CNY CZK DKK EUR HKD ILS MYR MXN NZD NOK PHP PLN GBP SGD SEK CHF THB USD"

// flaw says what of a call is not as described; "" for nothing.
func flaw(operation string, sent object, asked url.Values) string {
	if fields, known := reads()[operation]; known {
		for name := range asked {
			if !slices.Contains(strings.Fields(fields), name) {
				return operation + " is not narrowed by " + name
			}
		}
		return ""
	}
	if _, known := shapes()[operation]; !known {
		return "there is no " + operation
	}
	return mismatch(operation, sent)
}

// mismatch says what is wrong with an object, and with those in it.
func mismatch(shape string, sent object) string {
	kinds := map[string]string{}
	for field := range strings.FieldsSeq(shapes()[shape]) {
		name, kind, _ := strings.Cut(field, ":")
		name, must := strings.CutSuffix(name, "*")
		if kinds[name] = kind; must && sent[name] == nil {
			return shape + " has no " + name
		}
	}
	for name, value := range sent {
		is := fmt.Sprintf("%T", value)
		is = map[string]string{"string": "string", "float64": "number", "bool": "bool", "[]interface {}": "list", "map[string]interface {}": "object"}[is]
		if kinds[name] != is {
			return fmt.Sprintf("%s: %s is %q, not %q", shape, name, is, kinds[name])
		}
		if issue := within(name, value); issue != "" {
			return issue
		}
	}
	return ""
}

func within(name string, value any) string {
	if most := lengths()[name]; most > 0 && len([]rune(keeping.Text(value))) > most {
		return name + " is too long"
	}
	if name == "custom_id" && !word.MatchString(keeping.Text(value)) {
		return name + " has no such letters"
	}
	all, several := value.([]any)
	if !several {
		all = []any{value}
	}
	for _, one := range all {
		of, ok := one.(object)
		if !ok {
			continue
		}
		if issue := form(name, of); issue != "" {
			return issue
		}
	}
	return ""
}

// form looks into one object in another.
func form(name string, of object) string {
	if code, sum := keeping.Text(of["currency_code"]), keeping.Text(of["value"]); code != "" {
		bare := strings.Contains(currencies[:11], code)
		if !strings.Contains(currencies, code) || !decimal.MatchString(sum) || strings.Contains(sum, ".") == bare {
			return "CURRENCY_NOT_SUPPORTED"
		}
		return ""
	}
	if _, known := shapes()[name]; known {
		return mismatch(name, of)
	}
	for inner, value := range of {
		if issue := within(inner, value); issue != "" {
			return issue
		}
	}
	return ""
}
