package mollie

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// shapes are the fields that calls may send, by their method and path: those that the
// operations create-customer, update-customer, create-payment, create-subscription,
// update-subscription, cancel-subscription and create-refund have in
// https://github.com/mollie/openapi/blob/main/specs.yaml (1.0.0). A field that must be there
// ends with *; what follows the colon is its kind, ? for one that may be null.
func shapes() map[string]string {
	const customer = "name:string? email:string? locale:string? metadata:object testmode:bool?"
	return map[string]string{
		"POST customers":   customer,
		"PATCH customers/": customer,
		"POST payments": "description*:string amount*:object redirectUrl*:string? cancelUrl:string? webhookUrl:string? lines:list? billingAddress:object " +
			"shippingAddress:object locale:string? method:list issuer:string? restrictPaymentMethodsToCountry:string? metadata:object captureMode:string? " +
			"captureDelay:string? sequenceType:string mandateId:string? customerId:string? dueDate:string? storeCredentials:bool testmode:bool?",
		"POST customers/subscriptions": "amount*:object times:number? interval*:string startDate:string description*:string method:string? metadata:object " +
			"webhookUrl:string? mandateId:string? testmode:bool?",
		"PATCH customers/subscriptions/": "amount:object description:string interval:string startDate:string times:number metadata:object webhookUrl:string " +
			"mandateId:string testmode:bool",
		"DELETE customers/subscriptions/": "testmode:bool?",
		"POST payments/refunds":           "description*:string amount*:object metadata*:object externalReference:object testmode:bool?",
	}
}

// lists are the lists, and what narrows them, of the same description.
func lists() map[string][]string {
	return map[string][]string{
		"customers/payments": {"from", "limit", "sort"}, "customers/subscriptions": {"from", "limit", "sort"}, "payments/refunds": {"from", "limit", "embed"},
		"payments/chargebacks": {"from", "limit", "embed"},
	}
}

const (
	// longest is how long a description may be, mostMarked how much metadata there may be,
	// about.
	longest    = 255
	mostMarked = 1024
)

var (
	uuid     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	every    = regexp.MustCompile(`^\d+ (days?|weeks?|months?)$`)
	date     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	decimals = map[string]*regexp.Regexp{"JPY": regexp.MustCompile(`^\d+$`), "ISK": regexp.MustCompile(`^\d+$`), "": regexp.MustCompile(`^\d+\.\d\d$`)}
)

// flaw says what of a call is not as the description has it, and of which field; "" for
// nothing.
func flaw(r *http.Request, kind string, one bool, sent object) (field, detail string) {
	if r.Method == http.MethodGet {
		for name := range r.URL.Query() {
			if one || !slices.Contains(lists()[kind], name) {
				return name, kind + " are not narrowed by " + name
			}
		}
		return "", ""
	}
	if one {
		kind += "/"
	}
	shape, known := shapes()[r.Method+" "+kind]
	if !known {
		return "path", "there is no " + r.Method + " " + kind
	}
	if !uuid.MatchString(r.Header.Get("Idempotency-Key")) {
		return "Idempotency-Key", "the key is no UUID"
	}
	if field, detail = mismatch(shape, sent); field == "" {
		field, detail = form(sent)
	}
	return field, detail
}

func mismatch(shape string, sent object) (field, detail string) {
	kinds := map[string]string{}
	for field := range strings.FieldsSeq(shape) {
		name, kind, _ := strings.Cut(field, ":")
		name, must := strings.CutSuffix(name, "*")
		if kinds[name] = kind; must && sent[name] == nil {
			return name, "The '" + name + "' field is missing"
		}
	}
	for name, value := range sent {
		is := fmt.Sprintf("%T", value)
		is = map[string]string{"string": "string", "float64": "number", "bool": "bool", "[]interface {}": "list", "map[string]interface {}": "object"}[is]
		kind, known := kinds[name]
		if base, nullable := strings.CutSuffix(kind, "?"); !known || (is != base && (!nullable || value != nil)) {
			return name, fmt.Sprintf("%s is %q, not %q", name, is, kind)
		}
	}
	return "", ""
}

// form looks at the fields whose text has a form.
func form(sent object) (field, detail string) {
	if of, ok := sent["amount"].(object); ok {
		code, value := keeping.Text(of["currency"]), keeping.Text(of["value"])
		pattern := decimals[code]
		if pattern == nil {
			pattern = decimals[""]
		}
		if len(of) != 2 || len(code) != 3 || code == "KWD" || !pattern.MatchString(value) {
			return "amount", "The amount contains an invalid value"
		}
	}
	if of, ok := sent["metadata"].(object); ok && len(fmt.Sprint(of)) > mostMarked {
		return "metadata", "there is too much metadata"
	}
	for name, pattern := range map[string]*regexp.Regexp{"interval": every, "startDate": date} {
		if of, ok := sent[name].(string); ok && !pattern.MatchString(of) {
			return name, "The " + name + " is invalid"
		}
	}
	if len([]rune(keeping.Text(sent["description"]))) > longest {
		return "description", "The description is too long"
	}
	return "", ""
}
