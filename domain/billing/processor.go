package billing

import (
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

// Sandbox is the processor of development instances, without real payments.
const Sandbox product.Processor = "sandbox"

// AnyProcessor is a processor where sales are shown: one that products may name, or the
// sandbox.
type AnyProcessor product.Processor

// SchemaFragment describes the processor in a JSON Schema.
func (AnyProcessor) SchemaFragment() map[string]any {
	all := product.Processor("").SchemaFragment()
	all["enum"] = append(all["enum"].([]any), string(Sandbox)) //nolint:forcetypeassert // it is a list of names
	return all
}

// Mode distinguishes live from test payments.
type Mode string

// The modes.
const (
	Test Mode = "test"
	Live Mode = "live"
)

// Account is where a sale is made: a processor in one mode.
type Account struct {
	Processor product.Processor
	Mode      Mode
}

// Ability is something that processors can do or not.
type Ability string

// The abilities.
const (
	CanSubscribe  Ability = "subscriptions"
	CanTry        Ability = "trials"
	CanDiscount   Ability = "coupons"
	CanRefund     Ability = "refunds"
	CanRefundPart Ability = "partial_refunds"
	CanCancel     Ability = "cancel"
	CanResume     Ability = "resume"
	CanChange     Ability = "change_plan"
	CanProrate    Ability = "proration"
	CanWaive      Ability = "no_proration"
	CanPortal     Ability = "portal"
	CanPDF        Ability = "invoice_pdf"
	CanMeter      Ability = "metered_usage"
	CanTier       Ability = "tiered_prices"
	CanAddress    Ability = "customer_update"
)

// Abilities lists all of them.
func Abilities() []Ability {
	return []Ability{
		CanSubscribe, CanTry, CanDiscount, CanRefund, CanRefundPart, CanCancel, CanResume, CanChange, CanProrate, CanWaive, CanPortal, CanPDF, CanMeter, CanTier, CanAddress,
	}
}

// Unable returns the error for an unsupported ability.
func Unable(p product.Processor, what Ability) error {
	return fault.New(fault.Validation, "the payment processor "+string(p)+" does not support "+string(what)+": see BILLING.PROCESSOR_LIST")
}

// NoCurrency returns the error, which is an ErrRefused, for a currency that a processor does
// not charge in.
func NoCurrency(p product.Processor, c money.Currency) error {
	return fault.New(fault.Validation, string(p)+" does not support charges in "+string(c)+": use a price in another currency").Because(ErrRefused)
}

// TooExact returns the error, which is an ErrRefused, for an amount with more decimals than
// processors charge in its currency.
func TooExact(a money.Amount) error {
	return fault.New(fault.Validation, "the payment processor cannot charge "+a.String()+": use a price with fewer decimal places").Because(ErrRefused)
}

// ErrSilent is returned if a processor does not respond.
var ErrSilent = fault.Outside("the payment processor did not respond: try again later")
