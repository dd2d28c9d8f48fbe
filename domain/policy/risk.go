package policy

import (
	"slices"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/iprule"
)

// ErrLevels is returned for a policy by which an attempt would be high before it is medium.
var ErrLevels = fault.Unfit("/values/medium", "must not exceed high")

// Risk are the weights of the signals of a login, the thresholds of medium and high
// risk, and the reaction to high risk (spec/flows.md section 6). A weight of 0 disables
// a signal.
type Risk struct {
	NewDevice        int `json:"new_device" doc:"Weight of a browser or app that the account has not used recently. Defaults to 20." jsonschema:"minimum=0,maximum=100"`
	NewRange         int `json:"new_range" doc:"Weight of an address range that the account has not used recently. Defaults to 15." jsonschema:"minimum=0,maximum=100"`
	NewCountry       int `json:"new_country" doc:"Weight of a country that the account has not been used from recently. Requires GEOIP_DB. Defaults to 30." jsonschema:"minimum=0,maximum=100"`
	ImpossibleTravel int `json:"impossible_travel" doc:"Weight of a location that cannot be reached in the time since the last sign-in. Requires GEOIP_DB. Defaults to 50." jsonschema:"minimum=0,maximum=100"`
	AccountFailures  int `json:"account_failures" doc:"Weight of many failed sign-ins to the account. Defaults to 25." jsonschema:"minimum=0,maximum=100"`
	AddressAccounts  int `json:"address_accounts" doc:"Weight of failed sign-ins to many accounts from the same IP address. Defaults to 40." jsonschema:"minimum=0,maximum=100"`
	CommonPassword   int `json:"common_password" doc:"Weight of a password found in lists of common passwords. Defaults to 15." jsonschema:"minimum=0,maximum=100"`
	UserAgentChange  int `json:"user_agent_change" doc:"Weight of a session that continues in a different browser or app than it started in. Defaults to 30." jsonschema:"minimum=0,maximum=100"`
	UnusualHour      int `json:"unusual_hour" doc:"Weight of an hour of the day at which the account is not normally used. Defaults to 10." jsonschema:"minimum=0,maximum=100"`
	DisposableDomain int `json:"disposable_domain" doc:"Weight of an email address from a provider of disposable addresses. Defaults to 15." jsonschema:"minimum=0,maximum=100"`
	ListedAddress    int `json:"listed_address" doc:"Weight of an IP address on one of the lists. Defaults to 40." jsonschema:"minimum=0,maximum=100"`

	Lists        []iprule.List `json:"lists" doc:"Lists in the instance's IP rules whose addresses count as suspicious." jsonschema:"maxItems=20,uniqueItems=true"`
	Medium       int           `json:"medium" doc:"Minimum score of a medium-risk attempt. Defaults to 30." jsonschema:"minimum=1,maximum=100"`
	High         int           `json:"high" doc:"Minimum score of a high-risk attempt. Defaults to 70." jsonschema:"minimum=1,maximum=100"`
	SecondFactor bool          `json:"second_factor" doc:"Whether a high-risk attempt requires a second factor, including on a remembered device. Applies if the account has a second factor or passkey. Defaults to true."`
	Notice       bool          `json:"notice" doc:"Whether the user gets a notice of a high-risk sign-in, also by email. Defaults to true."`
}

// defaultRisk returns the risk policy of a fresh instance.
func defaultRisk() Risk {
	return Risk{
		NewDevice: 20, NewRange: 15, NewCountry: 30, ImpossibleTravel: 50, AccountFailures: 25, AddressAccounts: 40,
		CommonPassword: 15, UserAgentChange: 30, UnusualHour: 10, DisposableDomain: 15, ListedAddress: 40,
		Lists: []iprule.List{}, Medium: 30, High: 70, SecondFactor: true, Notice: true,
	}
}

// stricter takes the greater of each weight, the lower scores and all lists.
func (r Risk) stricter(o Risk) Risk {
	lists := o.Lists
	for _, list := range r.Lists {
		if !slices.Contains(lists, list) {
			lists = append(slices.Clip(lists), list)
		}
	}
	return Risk{
		NewDevice: max(r.NewDevice, o.NewDevice), NewRange: max(r.NewRange, o.NewRange), NewCountry: max(r.NewCountry, o.NewCountry),
		ImpossibleTravel: max(r.ImpossibleTravel, o.ImpossibleTravel), AccountFailures: max(r.AccountFailures, o.AccountFailures),
		AddressAccounts: max(r.AddressAccounts, o.AddressAccounts), CommonPassword: max(r.CommonPassword, o.CommonPassword),
		UserAgentChange: max(r.UserAgentChange, o.UserAgentChange), UnusualHour: max(r.UnusualHour, o.UnusualHour),
		DisposableDomain: max(r.DisposableDomain, o.DisposableDomain), ListedAddress: max(r.ListedAddress, o.ListedAddress),
		Lists: lists, Medium: min(r.Medium, o.Medium), High: min(r.High, o.High),
		SecondFactor: r.SecondFactor || o.SecondFactor, Notice: r.Notice || o.Notice,
	}
}

// Check fails with ErrLevels.
func (r Risk) Check() error {
	if r.Medium > r.High {
		return ErrLevels
	}
	return nil
}

// Idle reports whether every attempt scores 0, so that nothing needs to be looked up.
func (r Risk) Idle() bool {
	return r.NewDevice+r.NewRange+r.NewCountry+r.ImpossibleTravel+r.AccountFailures+r.AddressAccounts+
		r.CommonPassword+r.UserAgentChange+r.UnusualHour+r.DisposableDomain+r.ListedAddress == 0
}
