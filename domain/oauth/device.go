package oauth

import (
	"strings"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// DeviceGrant is the grant type of clients on devices (RFC 8628 section 3.4). Apps are
// registered for it by app.DeviceCode.
const DeviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// Times of devices.
const (
	// DeviceLife is how long a device waits for its person.
	DeviceLife = 10 * time.Minute
	// PollInterval is the initial polling interval of a device, and the increment after
	// each poll that came too soon (RFC 8628 section 3.5).
	PollInterval = 5 * time.Second
	// pollLeeway is how much too soon a question may come: the network delays some more
	// than others.
	pollLeeway = time.Second
	// undecidedKept is how long an expired or denied authorization is kept, so that the
	// device gets the reason.
	undecidedKept = time.Hour
)

// Errors of devices, in the words of RFC 8628 section 3.5.
var (
	ErrPending       = fault.New(fault.Validation, "authorization_pending: the user has not answered yet; poll again after the interval")
	ErrSlowDown      = fault.New(fault.Validation, "slow_down: polling too fast; add 5 seconds to the interval")
	ErrDeviceExpired = fault.New(fault.Validation, "expired_token: the device code has expired; start again")
	ErrDeviceDenied  = fault.New(fault.Validation, "access_denied: the user denied the request")
	// ErrDeviceCode is returned if a device code does not belong to the client.
	ErrDeviceCode = fault.New(fault.Validation, "invalid_grant: the device code is invalid, expired or already used")
	// ErrUserCode is returned for a user code that is wrong, used, or expired.
	ErrUserCode = fault.New(fault.NotFound, "unknown or expired device code: restart sign-in on the device")
)

type deviceKind struct{}

func (deviceKind) Prefix() string { return "dvc" }

// DeviceID identifies a device that waits.
type DeviceID = id.ID[deviceKind]

// NewDeviceID mints an identifier.
func NewDeviceID(m id.Minter) DeviceID { return id.New[deviceKind](m) }

// ParseDeviceID reads an identifier; it fails with id.ErrMalformed.
func ParseDeviceID(text string) (DeviceID, error) { return id.Parse[deviceKind](text) }

// UserCode is a code entered by people: eight letters, in canonical form.
type UserCode string

const (
	// userLetters are those of user codes: no vowels, so that they make no words, and none
	// that look alike (RFC 8628 section 6.1).
	userLetters    = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength = 8
)

// NewUserCode draws a code: one of 20^8, that is 34 bits.
func NewUserCode(random interface{ Bytes(n int) []byte }) UserCode {
	const even = 256 / len(userLetters) * len(userLetters) // of bytes beyond, some letters would come more often
	code := make([]byte, 0, userCodeLength)
	for len(code) < userCodeLength {
		for _, drawn := range random.Bytes(userCodeLength) {
			if int(drawn) < even && len(code) < userCodeLength {
				code = append(code, userLetters[int(drawn)%len(userLetters)])
			}
		}
	}
	return UserCode(code)
}

// ParseUserCode parses the input of a user code, ignoring case and separators. It fails
// with ErrUserCode.
func ParseUserCode(typed string) (UserCode, error) {
	code := strings.Map(func(r rune) rune {
		if strings.ContainsRune(userLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(typed))
	if len(code) != userCodeLength {
		return "", ErrUserCode
	}
	return UserCode(code), nil
}

// Shown returns the code as devices show it, such as WDJB-MJHT.
func (c UserCode) Shown() string {
	const half = userCodeLength / 2
	return string(c[:half]) + "-" + string(c[half:])
}

// Decision is the decision of a person.
type Decision string

// The decisions about devices; the zero value is none yet.
const (
	DeviceApproved Decision = "approved"
	DeviceDenied   Decision = "denied"
)

// DeviceRequest is a device authorization request, with its origin.
type DeviceRequest struct {
	AppID app.ID
	// Code is the digest of the device code. User is a keyed digest of the user code,
	// which is too short for a plain one.
	Code, User Digest
	// Scopes are those that the app may have.
	Scopes []string
	// Resource is the audience; empty for this service (RFC 8707).
	Resource string
	Nonce    string
	IP       string
	// UserAgent is the user agent of the device.
	UserAgent string
}

// DeviceSnapshot is the stored state of a device.
type DeviceSnapshot struct {
	ID DeviceID
	DeviceRequest

	CreatedAt, ExpiresAt time.Time
	// Interval is how long the device is to wait between questions, PolledAt when it asked
	// last.
	Interval time.Duration
	PolledAt time.Time
	// Decision is that of UserID; GrantID is the resulting grant, if they approved.
	Decision  Decision
	DecidedAt time.Time
	UserID    user.ID
	GrantID   GrantID
}

// PurgeAt returns when the authorization can be deleted. An approved one is kept like
// its grant, so that a reused device code ends that.
func (s DeviceSnapshot) PurgeAt() time.Time {
	if s.Decision == DeviceApproved {
		return s.ExpiresAt.Add(keptFor)
	}
	return s.ExpiresAt.Add(undecidedKept)
}

// Waits reports whether the authorization is pending.
func (s DeviceSnapshot) Waits(now time.Time) bool { return s.Decision == "" && now.Before(s.ExpiresAt) }

// Device is a login begun where there is no browser.
type Device struct {
	aggregate.Root
	s DeviceSnapshot
}

// StartDevice makes a device that waits.
func StartDevice(id DeviceID, asks DeviceRequest, now time.Time) *Device {
	return &Device{s: DeviceSnapshot{ID: id, DeviceRequest: asks, CreatedAt: now, ExpiresAt: now.Add(DeviceLife), Interval: PollInterval}}
}

// RestoreDevice returns the device that was stored.
func RestoreDevice(s DeviceSnapshot, version int64) *Device {
	return &Device{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (d *Device) Snapshot() DeviceSnapshot { return d.s }

// Poll returns nil once the authorization was approved, whatever the state of the
// grant. It fails with ErrPending and ErrSlowDown, after which the device must be
// stored, and with ErrDeviceDenied and ErrDeviceExpired.
func (d *Device) Poll(now time.Time) error {
	switch {
	case d.s.Decision == DeviceApproved:
		return nil
	case d.s.Decision == DeviceDenied:
		return ErrDeviceDenied
	case !now.Before(d.s.ExpiresAt):
		return ErrDeviceExpired
	}
	soon := !d.s.PolledAt.IsZero() && now.Sub(d.s.PolledAt) < d.s.Interval-pollLeeway
	d.s.PolledAt = now
	if soon {
		d.s.Interval += PollInterval
		return ErrSlowDown
	}
	return ErrPending
}

// Approve approves the authorization, once; by becomes its grant. It fails with
// ErrUserCode.
func (d *Device) Approve(by GrantID, to Authorization, now time.Time) error {
	if err := d.decide(DeviceApproved, to.UserID, now); err != nil {
		return err
	}
	d.s.GrantID = by
	d.Raise(DeviceWasApproved{GrantID: by, AppID: d.s.AppID, UserID: to.UserID, OrgID: to.OrgID, Scopes: to.Scopes})
	return nil
}

// Deny refuses the device, once. It fails with ErrUserCode.
func (d *Device) Deny(by user.ID, in workspace.ID, now time.Time) error {
	if err := d.decide(DeviceDenied, by, now); err != nil {
		return err
	}
	d.Raise(DeviceWasDenied{AppID: d.s.AppID, UserID: by, OrgID: in, Scopes: d.s.Scopes})
	return nil
}

func (d *Device) decide(as Decision, by user.ID, now time.Time) error {
	if !d.s.Waits(now) {
		return ErrUserCode
	}
	d.s.Decision, d.s.DecidedAt, d.s.UserID = as, now, by
	return nil
}
