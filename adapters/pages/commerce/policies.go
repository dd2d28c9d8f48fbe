package commerce

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// licensePolicy is a policy for display.
type licensePolicy struct{ client.LicensePolicy }

func policyOf(one client.LicensePolicy) licensePolicy { return licensePolicy{one} }

// Terms describes the terms of the policy.
func (p licensePolicy) Terms() string {
	said := []string{"Never expires"}
	if p.DurationDays > 0 {
		said[0] = "Valid for " + kit.Plural(p.DurationDays, "day", "days")
	}
	if p.MaxMachines > 0 {
		said = append(said, "on "+kit.Plural(p.MaxMachines, "machine", "machines"))
	}
	if p.Seats > 0 && p.Floating {
		said = append(said, "with "+kit.Plural(p.Seats, "floating seat", "floating seats"))
	} else if p.Seats > 0 {
		said = append(said, "with "+kit.Plural(p.Seats, "named seat", "named seats"))
	}
	if p.OfflineDays > 0 {
		said = append(said, kit.Plural(p.OfflineDays, "day", "days")+" offline")
	}
	return strings.Join(said, ", ") + "."
}

// usualTransfers is the default limit on machine transfers in a year.
const usualTransfers = 12

// policyNumbers returns the integer fields of a policy; empty input means 0.
func policyNumbers() []string {
	return []string{"duration_days", "grace_days", "max_machines", "heartbeat_minutes", "seats", "transfers_per_year", "offline_days"}
}

// policyFields returns the names of the policy form's fields.
func policyFields() []string {
	return append(policyNumbers(), "name", "starts", "on_expiry", "overage", "features", "meters")
}

// values returns the form values of the policy.
func (p licensePolicy) values() url.Values {
	sent := url.Values{
		"name": {p.Name}, "starts": {string(p.Starts)}, "on_expiry": {string(p.OnExpiry)}, "overage": {string(p.Overage)},
		"features": {valueLines(p.Features)}, "meters": {meterLines(p.Meters)}, "transfers_per_year": {strconv.Itoa(p.TransfersPerYear)},
	}
	for name, number := range map[string]int{
		"duration_days": p.DurationDays, "grace_days": p.GraceDays, "max_machines": p.MaxMachines,
		"heartbeat_minutes": p.HeartbeatMinutes, "seats": p.Seats, "offline_days": p.OfflineDays,
	} {
		if number != 0 {
			sent.Set(name, strconv.Itoa(number))
		}
	}
	for name, on := range map[string]bool{"floating": p.Floating, "machine_bound": p.MachineBound} {
		if on {
			sent.Set(name, "1")
		}
	}
	return sent
}

// policyTerms returns the parameters of the policy form.
func (v *visit) policyTerms() kit.Params {
	p := kit.Params{
		"name": v.Form.Text("name"), "floating": v.Form.Has("floating", "1"), "machine_bound": v.Form.Has("machine_bound", "1"),
		"features": readValues(v.Form.Text("features")), "meters": readMeters(v.Form.Text("meters")),
	}
	for _, name := range policyNumbers() {
		p[name] = 0
	}
	p["transfers_per_year"] = usualTransfers
	v.Integers(p, policyNumbers()...)
	for _, name := range []string{"starts", "on_expiry", "overage"} {
		p.Text(name, v.Form.Text(name))
	}
	return p
}

// policies returns the policies to choose from.
func (v *visit) policies() ([]licensePolicy, error) {
	held, err := v.Me().LicensePolicyList(v.Context(), client.LicensePolicyListParams{Limit: new(kit.MostListed), OrgID: v.Org()})
	return kit.Map(held.Items, policyOf), err
}

func (v *visit) licensePolicies() error {
	data, err := v.listLicensing(policiesTab, func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().LicensePolicyList(v.Context(), client.LicensePolicyListParams{Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return kit.Map(held.Items, policyOf), held.NextCursor, err
	})
	if err != nil {
		return err
	}
	return v.Show("licensepolicies", "License policies", data)
}

func (v *visit) newPolicy() error {
	data, err := v.licensingForm(policiesTab, "licenses:write")
	if err != nil {
		return err
	}
	return v.Show("newlicensepolicy", "New license policy", data)
}

func (v *visit) createPolicy() error {
	if err := v.Act("LICENSE.POLICY_CREATE", v.policyTerms(), nil); err != nil {
		return v.Retry(withFormFields(err), v.newPolicy, policyFields()...)
	}
	return v.Done("The policy was created.", licensesPath+"/policies")
}

// somePolicy returns the policy of the path or the form.
func (v *visit) somePolicy() (licensingData, error) {
	data, err := v.licensingForm(policiesTab, "licenses:write")
	if err != nil {
		return data, err
	}
	found, err := v.Me().LicensePolicyGet(v.Context(), client.LicensePolicyGetParams{PolicyID: v.ID("policy_id"), OrgID: v.Org()})
	data.Policy = policyOf(found.Policy)
	return data, err
}

func (v *visit) editPolicy() error {
	data, err := v.somePolicy()
	if err != nil {
		return err
	}
	if v.Form.Values == nil {
		v.Form.Values = data.Policy.values()
	}
	return v.Show("newlicensepolicy", "Edit policy", data)
}

func (v *visit) changePolicy() error {
	apply := v.Form.Has("apply", "1")
	p := kit.Params{"policy_id": v.Form.Text("policy_id"), "changes": v.policyTerms(), "apply_to_existing": apply}
	if err := v.Act("LICENSE.POLICY_UPDATE", p, nil); err != nil {
		return v.Retry(withFormFields(err), v.editPolicy, policyFields()...)
	}
	if apply {
		return v.Done("The policy was updated. Its licenses follow within minutes.", licensesPath+"/policies")
	}
	return v.Done("The policy was updated. The change applies to new licenses.", licensesPath+"/policies")
}

// askPolicy asks for confirmation before a policy is deleted.
func (v *visit) askPolicy() error {
	data, err := v.somePolicy()
	if err != nil {
		return err
	}
	return v.Show("question", "Delete this policy?", kit.Question{
		Name: data.Policy.Name, Text: "No more licenses can be issued from it. A policy that a license or product uses cannot be deleted.", Org: data.Org,
		Action: licensesPath + "/policies/delete", Field: "policy_id", Value: data.Policy.ID, Button: "Delete policy", Back: licensesPath + "/policies/" + data.Policy.ID,
	})
}

func (v *visit) deletePolicy() error {
	_, err := v.Me().LicensePolicyDelete(v.Context(), client.LicensePolicyDeleteParams{PolicyID: v.Form.Text("policy_id"), OrgID: v.Org()})
	return v.removed(err, "The policy was deleted.", "/policies")
}

// removed redirects to a list after one of its objects was deleted.
func (v *visit) removed(err error, said, back string) error {
	if err != nil {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong(v.Form.Message, licensesPath+back)
	}
	return v.Done(said, licensesPath+back)
}

// meterLines formats meters for a text area, one on a line.
func meterLines(all map[string]client.LicenseMeter) string {
	return lines(all, func(m client.LicenseMeter) string {
		return strconv.Itoa(m.Limit) + " a " + string(m.Period) + " " + string(m.OnLimit)
	})
}

// readMeters parses meters, one on a line. A limit that is not a number is passed on as
// text, so that the command reports the error.
func readMeters(typed string) map[string]any {
	meters := map[string]any{}
	for name, said := range pairs(typed) {
		words := slices.DeleteFunc(strings.Fields(said), func(word string) bool { return word == "a" })
		words = append(words, make([]string, 3)...) //nolint:mnd // limit, period and on_limit
		var limit any = words[0]
		if number, err := strconv.Atoi(words[0]); err == nil {
			limit = number
		}
		meters[name] = map[string]any{"limit": limit, "period": words[1], "on_limit": words[2]}
	}
	return meters
}
