package webhook

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

// Errors of deliveries.
var (
	ErrNoDelivery = fault.New(fault.NotFound, "no such delivery")
	ErrUnfinished = fault.New(fault.Validation, "the delivery is still pending: wait for its automatic attempts")
	ErrNoEvent    = fault.New(fault.Validation, "the event is no longer retained, so it cannot be delivered")
	ErrNoEndpoint = fault.New(fault.Validation, "the webhook endpoint is deleted or disabled and receives no deliveries")
	ErrAttempts   = fault.LimitReached("delivery attempt", MaxAttempts, "")
)

type deliveryKind struct{}

func (deliveryKind) Prefix() string { return "dlv" }

// DeliveryID identifies a delivery.
type DeliveryID = id.ID[deliveryKind]

// NewDeliveryID mints an identifier.
func NewDeliveryID(m id.Minter) DeliveryID { return id.New[deliveryKind](m) }

// EarliestDelivery returns the least identifier that is minted in the millisecond of a moment.
func EarliestDelivery(moment time.Time) DeliveryID { return id.Earliest[deliveryKind](moment) }

// Status is how far a delivery has come.
type Status string

// The statuses of deliveries.
const (
	Pending    Status = "pending"
	Delivering Status = "delivering"
	Succeeded  Status = "succeeded"
	Failed     Status = "failed"
	Dead       Status = "dead"
)

// Finished reports whether nothing more is attempted.
func (s Status) Finished() bool { return s == Succeeded || s == Dead }

const (
	// Timeout is how long an attempt may take.
	Timeout = 15 * time.Second
	// Lease is the lease of a claimed delivery.
	Lease = Timeout + 30*time.Second
	// LongestWait bounds Retry-After, and the pause between attempts.
	LongestWait = time.Hour
	// MaxAttempts is how often a delivery is attempted with all its replays.
	MaxAttempts = 100
)

// pauses returns those before the second attempt and each further one.
func pauses() []time.Duration {
	return []time.Duration{30 * time.Second, 5 * time.Minute, 30 * time.Minute, time.Hour}
}

// Delivery is the state of telling an endpoint of an event.
type Delivery struct {
	ID        DeliveryID
	WebhookID ID
	OrgID     workspace.ID
	EventID   event.ID
	Kind      event.Kind
	Status    Status
	// Attempts counts all of them, Round those since the delivery began, or was replayed.
	Attempts, Round int
	// DueAt is when it is attempted next; unset once it is finished.
	DueAt time.Time
	// StatusCode and Error are those of the last attempt.
	StatusCode int
	Error      string
	CreatedAt  time.Time
	FinishedAt time.Time
}

// Attempt is one attempt.
type Attempt struct {
	At time.Time
	// StatusCode is the status of the response; 0 for none, with a reason in Error.
	StatusCode int
	Duration   time.Duration
	Error      string
	// Excerpt is the beginning of the answer.
	Excerpt string
	// RetryAfter is the delay requested by the receiver.
	RetryAfter time.Duration
}

// Succeeded reports whether the receiver took the message.
func (a Attempt) Succeeded() bool { return a.StatusCode >= 200 && a.StatusCode < 300 && a.Error == "" }

// Gone reports whether the receiver wants no more messages.
func (a Attempt) Gone() bool { return a.StatusCode == 410 }

// Note records an attempt. The pause is shortened by at most a tenth, in proportion to
// chance, from 0 to 1.
func (d *Delivery) Note(a Attempt, chance float64, now time.Time) {
	d.Attempts, d.Round = d.Attempts+1, d.Round+1
	d.StatusCode, d.Error = a.StatusCode, a.Error
	waits := pauses()
	switch {
	case a.Succeeded():
		d.end(Succeeded, now)
	case a.Gone() || d.Round > len(waits) || d.Attempts >= MaxAttempts:
		d.end(Dead, now)
	default:
		const share = 0.1
		pause := waits[d.Round-1]
		pause -= time.Duration(share * chance * float64(pause))
		d.Status, d.DueAt = Failed, now.Add(min(max(pause, a.RetryAfter), LongestWait))
	}
}

// Bury ends a delivery without an attempt.
func (d *Delivery) Bury(why string, now time.Time) {
	d.Error = why
	d.end(Dead, now)
}

// Reasons why deliveries end without success, in webhook_delivery.dead.
const (
	ByAttempts   = "exhausted"
	ByUnsendable = "unsendable"
	ByDisabled   = "disabled"
	ByDeleted    = "deleted"
)

// Died returns the event of a delivery that has just died after an attempt; a zero attempt
// means that nothing was sent. It returns false for other deliveries, and for those that
// carry a webhook_delivery.dead themselves: an endpoint that takes nothing would cause one
// after the other without end.
func (d Delivery) Died(last Attempt) (Died, bool) {
	if d.Status != Dead || d.Kind == KindDead {
		return Died{}, false
	}
	why := ByAttempts
	switch {
	case last.Gone():
		why = ByGone
	case last.At.IsZero():
		why = ByUnsendable
	}
	return Died{WebhookID: d.WebhookID, OrgID: d.OrgID, DeliveryID: d.ID, EventID: d.EventID, EventType: d.Kind, Count: 1, Reason: why}, true
}

func (d *Delivery) end(as Status, now time.Time) {
	d.Status, d.DueAt, d.FinishedAt = as, time.Time{}, now
}

// Recover begins a dead delivery anew, and has one that failed attempted at once; it reports
// whether it did either.
func (d *Delivery) Recover(now time.Time) bool {
	switch d.Status {
	case Dead:
		return d.Replay(now) == nil
	case Failed:
		d.DueAt = now
		return true
	default:
		return false
	}
}

// Replay begins a finished delivery anew. It fails with ErrUnfinished or ErrAttempts.
func (d *Delivery) Replay(now time.Time) error {
	switch {
	case !d.Status.Finished():
		return ErrUnfinished
	case d.Attempts >= MaxAttempts:
		return ErrAttempts
	}
	d.Status, d.Round, d.DueAt, d.FinishedAt = Pending, 0, now, time.Time{}
	return nil
}
