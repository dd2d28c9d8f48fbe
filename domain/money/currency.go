package money

import "strings"

// Currency is a code of ISO 4217, such as EUR.
type Currency string

// SchemaFragment describes the code in a JSON Schema.
func (Currency) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[A-Z]{3}$", "examples": []any{"EUR"}}
}

// The currencies of ISO 4217 by how many decimals their minor unit has. Codes for funds,
// metals and tests are left out, and so are CLF and UYW, the units of account with four.
const (
	withoutMinor = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
	thousandths  = "BHD IQD JOD KWD LYD OMR TND"
	hundredths   = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP " +
		"CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW " +
		"KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP " +
		"PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD " +
		"UYU UZS VED VES WST XCD YER ZAR ZMW ZWG"
)

const (
	decimalsMost   = 3
	decimalsCommon = 2
)

// exponents are the decimals of all of them.
var exponents = func() map[Currency]int { //nolint:gochecknoglobals // A table of the standard, which is never written.
	all := map[Currency]int{}
	for decimals, codes := range map[int]string{0: withoutMinor, decimalsCommon: hundredths, decimalsMost: thousandths} {
		for code := range strings.FieldsSeq(codes) {
			all[Currency(code)] = decimals
		}
	}
	return all
}()

// Known reports whether the code is one of ISO 4217 that is paid in.
func (c Currency) Known() bool {
	_, known := exponents[c]
	return known
}

// Exponent is how many decimals the minor unit of the currency has (ISO 4217): 0, 2 or 3.
func (c Currency) Exponent() int { return exponents[c] }
