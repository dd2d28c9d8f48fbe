package pages

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type licensePolicy struct {
	ID               string           `json:"id"`
	Name             string           `json:"name"`
	DurationDays     int              `json:"duration_days"`
	Starts           string           `json:"starts"`
	OnExpiry         string           `json:"on_expiry"`
	GraceDays        int              `json:"grace_days"`
	Seats            int              `json:"seats"`
	MaxMachines      int              `json:"max_machines"`
	MachineBound     bool             `json:"machine_bound"`
	HeartbeatMinutes int              `json:"heartbeat_minutes"`
	Floating         bool             `json:"floating"`
	OfflineDays      int              `json:"offline_days"`
	TransfersPerYear int              `json:"transfers_per_year"`
	Overage          string           `json:"overage"`
	Features         map[string]any   `json:"features"`
	Meters           map[string]meter `json:"meters"`
}

// Terms describes the terms of the policy.
func (p licensePolicy) Terms() string {
	said := []string{"Never expires"}
	if p.DurationDays > 0 {
		said[0] = "Valid for " + plural(p.DurationDays, "day", "days")
	}
	if p.MaxMachines > 0 {
		said = append(said, "on "+plural(p.MaxMachines, "machine", "machines"))
	}
	if p.Seats > 0 && p.Floating {
		said = append(said, "with "+plural(p.Seats, "floating seat", "floating seats"))
	} else if p.Seats > 0 {
		said = append(said, "with "+plural(p.Seats, "named seat", "named seats"))
	}
	if p.OfflineDays > 0 {
		said = append(said, plural(p.OfflineDays, "day", "days")+" offline")
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
		"name": {p.Name}, "starts": {p.Starts}, "on_expiry": {p.OnExpiry}, "overage": {p.Overage},
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
func (v *visit) policyTerms() params {
	p := params{
		"name": v.form.text("name"), "floating": v.form.Has("floating", "1"), "machine_bound": v.form.Has("machine_bound", "1"),
		"features": readValues(v.form.text("features")), "meters": readMeters(v.form.text("meters")),
	}
	for _, name := range policyNumbers() {
		p[name] = 0
	}
	p["transfers_per_year"] = usualTransfers
	v.integers(p, policyNumbers()...)
	for _, name := range []string{"starts", "on_expiry", "overage"} {
		p.text(name, v.form.text(name))
	}
	return p
}

// policies returns the policies to choose from.
func (v *visit) policies() ([]licensePolicy, error) {
	var held list[licensePolicy]
	err := v.act("LICENSE.POLICY_LIST", params{"limit": mostListed}, &held)
	return held.Items, err
}

func (v *visit) licensePolicies() error {
	data, err := listLicensing[licensePolicy](v, policiesTab, "LICENSE.POLICY_LIST", params{}, nil)
	if err != nil {
		return err
	}
	return v.show("licensepolicies", "License policies", data)
}

func (v *visit) newPolicy() error {
	data, err := v.licensingForm(policiesTab, "licenses:write")
	if err != nil {
		return err
	}
	return v.show("newlicensepolicy", "New license policy", data)
}

func (v *visit) createPolicy() error {
	if err := v.act("LICENSE.POLICY_CREATE", v.policyTerms(), nil); err != nil {
		return v.retry(withFormFields(err), (*visit).newPolicy, policyFields()...)
	}
	return v.done("The policy was created.", licensesPath+"/policies")
}

// somePolicy returns the policy of the path or the form.
func (v *visit) somePolicy() (licensingData, error) {
	data, err := v.licensingForm(policiesTab, "licenses:write")
	if err != nil {
		return data, err
	}
	var found struct {
		Policy licensePolicy `json:"policy"`
	}
	err = v.act("LICENSE.POLICY_GET", params{"policy_id": v.id("policy_id")}, &found)
	data.Policy = found.Policy
	return data, err
}

func (v *visit) editPolicy() error {
	data, err := v.somePolicy()
	if err != nil {
		return err
	}
	if v.form.values == nil {
		v.form.values = data.Policy.values()
	}
	return v.show("newlicensepolicy", "Edit policy", data)
}

func (v *visit) changePolicy() error {
	apply := v.form.Has("apply", "1")
	p := params{"policy_id": v.form.text("policy_id"), "changes": v.policyTerms(), "apply_to_existing": apply}
	if err := v.act("LICENSE.POLICY_UPDATE", p, nil); err != nil {
		return v.retry(withFormFields(err), (*visit).editPolicy, policyFields()...)
	}
	if apply {
		return v.done("The policy was updated. Its licenses follow within minutes.", licensesPath+"/policies")
	}
	return v.done("The policy was updated. The change applies to new licenses.", licensesPath+"/policies")
}

// askPolicy asks for confirmation before a policy is deleted.
func (v *visit) askPolicy() error {
	data, err := v.somePolicy()
	if err != nil {
		return err
	}
	return v.show("question", "Delete this policy?", question{
		Name: data.Policy.Name, Text: "No more licenses can be issued from it. A policy that a license or product uses cannot be deleted.", Org: data.Org,
		Action: licensesPath + "/policies/delete", Field: "policy_id", Value: data.Policy.ID, Button: "Delete policy", Back: licensesPath + "/policies/" + data.Policy.ID,
	})
}

func (v *visit) deletePolicy() error {
	return v.remove("LICENSE.POLICY_DELETE", "policy_id", "The policy was deleted.", "/policies")
}

// remove deletes the object of a form and redirects to its list.
func (v *visit) remove(command, field, said, back string) error {
	if err := v.act(command, params{field: v.form.text(field)}, nil); err != nil {
		if err := v.refused(err); err != nil {
			return err
		}
		return v.wrong(v.form.Message, licensesPath+back)
	}
	return v.done(said, licensesPath+back)
}

// meter is a usage limit of a policy.
type meter struct {
	Limit   int    `json:"limit"`
	Period  string `json:"period"`
	OnLimit string `json:"on_limit"`
}

// meterLines formats meters for a text area, one on a line.
func meterLines(all map[string]meter) string {
	return lines(all, func(m meter) string { return strconv.Itoa(m.Limit) + " a " + m.Period + " " + m.OnLimit })
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
