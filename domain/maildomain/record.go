package maildomain

import "slices"

const (
	recordLabel  = "_gatehouse-challenge."
	recordPrefix = "gatehouse-verification="
	// maxName is the longest name of DNS.
	maxName = 253
)

// Record is the TXT record that proves a claim.
type Record struct {
	Name  string
	Value string
}

// Record returns the record that proves the claim.
func (s Snapshot) Record() Record {
	return Record{Name: recordLabel + string(s.Name), Value: recordPrefix + s.Proof}
}

// In reports whether the record is among those that DNS shows at its name.
func (r Record) In(shown []string) bool { return slices.Contains(shown, r.Value) }
