package device_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
)

const ada = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func TestTrust(t *testing.T) {
	t.Parallel()
	month := policy.MFA{RememberDays: 30}
	for name, c := range map[string]struct {
		amr   []string
		rules policy.MFA
		held  int
		want  error
	}{
		"after a second factor":          {[]string{"pwd", "otp", "mfa"}, month, 49, nil},
		"without a second factor":        {[]string{"pwd"}, month, 0, device.ErrProof},
		"without any proof":              {nil, month, 0, device.ErrProof},
		"where the policy wants none":    {[]string{"pwd", "otp", "mfa"}, policy.MFA{}, 0, device.ErrOff},
		"beside as many as there may be": {[]string{"mfa"}, month, 50, device.ErrTooMany},
	} {
		w := device.Draft{ID: "dev_1", UserID: ada, Digest: "digest", Name: "laptop", IP: "192.0.2.1", UserAgent: "curl/8", AMR: c.amr}
		made, err := device.Trust(w, c.rules, c.held, noon())
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil {
			continue
		}
		want := device.Snapshot{
			ID: "dev_1", UserID: ada, Digest: "digest", Name: "laptop", IP: "192.0.2.1", UserAgent: "curl/8",
			CreatedAt: noon(), ExpiresAt: noon().AddDate(0, 0, 30),
		}
		if made.Snapshot() != want || made.ID() != "dev_1" {
			t.Errorf("%s: %+v, want %+v", name, made.Snapshot(), want)
		}
		if raised := made.Stored(); len(raised) != 1 || raised[0] != (device.Trusted{DeviceID: "dev_1", UserID: ada, ExpiresAt: want.ExpiresAt}) {
			t.Errorf("%s: raised %+v", name, raised)
		}
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	d := device.Restore(device.Snapshot{ID: "dev_1", UserID: ada}, 1)
	d.Revoke()
	if raised := d.Stored(); len(raised) != 1 || raised[0] != (device.Revoked{DeviceID: "dev_1", UserID: ada}) {
		t.Errorf("raised %+v", raised)
	}
	if !d.OwnedBy(ada) || d.OwnedBy("usr_2") || d.OwnedBy("") {
		t.Error("it is somebody else's")
	}
}
