package commerce

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// refusals are messages by error code of why no license file is issued.
func refusals() map[client.LicenseOfflineCheckoutResultCode]string {
	return map[client.LicenseOfflineCheckoutResultCode]string{
		"too_many_machines": "All activations are in use. Deactivate a machine first.",
		"no_seats":          "All seats are in use. Wait until a program releases its seat or a lease expires.",
	}
}

// licenseFile serves a license file for a registered machine, or for a fingerprint,
// which registers it.
func (v *visit) licenseFile() error {
	of := v.Form.Text("license_id")
	machine, err := v.fingerprint()
	if err != nil {
		return err
	}
	made, err := v.Me().LicenseOfflineCheckout(v.Context(), client.LicenseOfflineCheckoutParams{LicenseID: new(of), Machine: machine, OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.license, "machine")
	}
	if made.OfflineFile == "" {
		said := refusals()[made.Code]
		if said == "" {
			said = "The license is not valid."
		}
		return v.Wrong(said, v.licensePage())
	}
	return v.download(of+".jws", "application/jose", []byte(made.OfflineFile))
}

// fingerprint returns the fingerprint of the machine with the identifier in the form,
// or the fingerprint entered there.
func (v *visit) fingerprint() (string, error) {
	id := v.Form.Text("machine_id")
	if id == "" {
		return v.Form.Text("machine"), nil
	}
	data, err := v.someLicense()
	if err != nil {
		return "", err
	}
	for _, one := range data.Machines {
		if one.ID == id {
			return one.Machine, nil
		}
	}
	return "", kit.ErrNoPage
}
