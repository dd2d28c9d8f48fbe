package access_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
)

func TestCheckRecent(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		kind   access.Kind
		age    time.Duration
		amr    []string
		factor bool
		want   error
	}{
		"right after a login":               {access.Person, 0, []string{"pwd"}, false, nil},
		"15 minutes later":                  {access.Person, 15 * time.Minute, []string{"pwd"}, false, nil},
		"too late":                          {access.Person, 15*time.Minute + 1, []string{"pwd"}, false, access.ErrNotRecent},
		"with a second factor":              {access.Person, 15 * time.Minute, []string{"pwd", "otp", "mfa"}, true, nil},
		"with a second factor, too late":    {access.Person, 15*time.Minute + 1, []string{"pwd", "otp", "mfa"}, true, access.ErrNotRecent},
		"without the factor that there is":  {access.Person, 0, []string{"pwd"}, true, access.ErrNotRecent},
		"by a code alone, with a factor":    {access.Person, 0, []string{"otp"}, true, access.ErrNotRecent},
		"with a factor that is gone":        {access.Person, 0, []string{"pwd", "otp", "mfa"}, false, nil},
		"an API key, which proves no login": {access.Key, 0, nil, true, nil},
		"an app":                            {access.App, time.Hour, nil, false, nil},
		"who acts as somebody":              {access.Impersonated, 0, nil, false, access.ErrForPerson},
		"nobody":                            {"", time.Hour, nil, false, nil},
	} {
		caller := access.Caller{Kind: c.kind, AuthTime: noon, AMR: c.amr, SecondFactor: c.factor}
		if err := access.CheckRecent(caller, noon.Add(c.age)); !errors.Is(err, c.want) {
			t.Errorf("%s: CheckRecent() = %v, want %v", name, err, c.want)
		}
	}
}
