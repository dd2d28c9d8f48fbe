package license

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
)

// FileType is the typ of license files: a JWS in compact form (RFC 7515) that is checked
// without the service.
const FileType = "license+jwt"

// Errors of license files.
var (
	ErrNoFiles = fault.New(fault.Validation, "the license does not allow offline license files: offline_days is 0")
	ErrOffline = fault.New(fault.Validation, "the machine stays activated until its offline license file expires: deactivating it earlier requires licenses:write")
)

// File is the content of a license file (spec/licenses.md section 3).
type File struct {
	Issuer    string               `json:"iss"`
	Subject   ID                   `json:"sub"`
	Audience  product.ID           `json:"aud"`
	Product   product.Slug         `json:"product,omitempty"`
	IssuedAt  int64                `json:"iat"`
	NotBefore int64                `json:"nbf"`
	Expires   int64                `json:"exp"`
	Machine   Fingerprint          `json:"machine,omitempty"`
	Features  feature.Values       `json:"features,omitempty"`
	Seats     int                  `json:"seats,omitempty"`
	Meters    map[string]FileMeter `json:"meters,omitempty"`
	Status    Status               `json:"status"`
	Policy    product.PolicyID     `json:"policy,omitempty"`
	Left      []FormerMachine      `json:"not_before,omitempty"`
}

// FileMeter is a meter in a license file.
type FileMeter struct {
	Limit   int64  `json:"limit"`
	Period  Period `json:"period"`
	OnLimit Expiry `json:"on_limit"`
}

// FormerMachine is a machine that the license was moved away from, in a license file: no file
// of it holds after Expires.
type FormerMachine struct {
	Machine Fingerprint `json:"machine"`
	Expires int64       `json:"exp"`
}

// FileUntil returns when a file ends that is signed now for so many days, 0 for as many as the
// terms say. It never outlives the license with its days of grace. It is zero where the
// terms allow no files.
func (s Snapshot) FileUntil(days int, now time.Time) time.Time {
	if s.Terms.OfflineDays == 0 {
		return time.Time{}
	}
	if days == 0 || days > s.Terms.OfflineDays {
		days = s.Terms.OfflineDays
	}
	until := now.Add(time.Duration(days) * day)
	if ends := s.Ends(); !ends.IsZero() && ends.Before(until) {
		until = ends
	}
	return until.Truncate(time.Second)
}

// FileUntil returns when a file ends that a validation hands out; it is zero where there is none.
// Where machines or seats are limited, a machine has files only for as long as it keeps the
// place that it checked out: otherwise one place would yield files for any number of machines.
func (s State) FileUntil(now time.Time) time.Time {
	until := s.License.FileUntil(0, now)
	if limited := s.License.Terms.MachineBound || s.License.Terms.Floating; limited && s.OfflineUntil.Before(until) {
		until = s.OfflineUntil
	}
	if !now.Before(until) {
		return time.Time{}
	}
	return until
}

// Small returns the file without optional members, for QR codes.
func (f File) Small() File {
	f.Features, f.Meters, f.Left = nil, nil, nil
	return f
}

// FileOf returns the file of a license for a machine ("" for any); left are the
// transfers of the license away from machines whose files are still valid.
func FileOf(s Snapshot, machine Fingerprint, left []Transfer, until, now time.Time) File {
	f := File{
		Subject: s.ID, Audience: s.ProductID, IssuedAt: now.Unix(), NotBefore: now.Unix(), Expires: until.Unix(), Machine: machine,
		Features: s.Terms.Features, Seats: s.Terms.Seats, Status: s.Current(now), Policy: s.PolicyID,
	}
	for name, m := range s.Terms.Meters {
		if f.Meters == nil {
			f.Meters = map[string]FileMeter{}
		}
		f.Meters[name] = FileMeter(m)
	}
	for _, one := range left {
		if one.From != "" && one.From != machine && now.Before(one.FileUntil) {
			f.Left = append(f.Left, FormerMachine{one.From, one.FileUntil.Unix()})
		}
	}
	return f
}

// CheckOut reserves the place of the machine until its offline file expires, without
// heartbeats.
func (m *Machine) CheckOut(of Snapshot, until time.Time) {
	if until.After(m.s.OfflineUntil) {
		m.s.OfflineUntil = until
	}
	if of.Terms.HeartbeatMinutes > 0 && until.After(m.s.LapsesAt) {
		m.s.LapsesAt = until
	}
	m.Raise(CheckedOut{about(of), m.s.ID, until})
}

// Offline reports whether an offline file of the machine holds.
func (s MachineSnapshot) Offline(now time.Time) bool { return now.Before(s.OfflineUntil) }

// KindCheckedOut is the kind of CheckedOut.
const KindCheckedOut event.Kind = "license.checked_out"

// CheckedOut is the content of license.checked_out.
type CheckedOut struct {
	About
	MachineID MachineID `json:"machine_id" doc:"ID of the machine the file is for."`
	ExpiresAt time.Time `json:"expires_at" doc:"Time at which the file expires."`
}

func (CheckedOut) Kind() event.Kind { return KindCheckedOut }
