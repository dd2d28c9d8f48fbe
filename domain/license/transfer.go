package license

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

const (
	// TransferYear is the time that so many transfers may lie in.
	TransferYear = 365 * day
	// VacancyKept is how long a place that was freed by key is known as such.
	VacancyKept = 30 * day
)

// Errors of transfers.
var (
	ErrTransfers = fault.New(fault.Validation, "the license has reached its transfer limit for the year")
	ErrPlaces    = fault.New(fault.Validation, "the license has no free activation for the new machine: deactivate another machine first")
	ErrNotHeld   = fault.New(fault.Validation, "the license is revoked, suspended or expired")
)

type transferKind struct{}

func (transferKind) Prefix() string { return "ltr" }

// TransferID orders transfers; it is internal.
type TransferID = id.ID[transferKind]

// NewTransferID mints an identifier.
func NewTransferID(m id.Minter) TransferID { return id.New[transferKind](m) }

// Transfer is one move of a license from a machine to another.
type Transfer struct {
	ID        TransferID
	LicenseID ID
	// From is the machine that was left; "" where a place was taken that another one had freed.
	From    Fingerprint
	MovedAt time.Time
	// FileUntil is when the last offline file of that machine ends; zero for none.
	FileUntil time.Time
}

// PurgeAt returns when the transfer is needed no more.
func (t Transfer) PurgeAt() time.Time {
	if until := t.MovedAt.Add(TransferYear); until.After(t.FileUntil) {
		return until
	}
	return t.FileUntil
}

// MayMove reports whether a license that was moved so often in a year may be once more.
func (t Terms) MayMove(moved int) bool { return moved < t.TransfersPerYear }

// KindTransferred is the kind of Transferred.
const KindTransferred event.Kind = "license.transferred"

// Transferred is the content of license.transferred.
type Transferred struct {
	About
	MachineID MachineID `json:"machine_id" doc:"ID of the machine that is activated now."`
	FromID    MachineID `json:"from_machine_id,omitzero" doc:"ID of the machine that was deactivated. Omitted if it was not known."`
}

// Moved returns the event that a license was moved to a machine.
func Moved(of Snapshot, to, from MachineID) event.Data { return Transferred{about(of), to, from} }

func (Transferred) Kind() event.Kind { return KindTransferred }

// transferEvents describes these kinds for the catalog.
func transferEvents(about About, machine MachineID) []event.Definition {
	return []event.Definition{
		{Summary: "A license was transferred from one machine to another.", Example: Transferred{about, machine, "mch_01jd7x9k2mf3q8v5t0abcdefgj"}},
		{Summary: "An offline license file was issued.", Example: CheckedOut{about, machine, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
	}
}
