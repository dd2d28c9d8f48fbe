package view_test

import (
	"testing"
	"time"

	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/session"
)

func TestDevice(t *testing.T) {
	t.Parallel()
	tests := []struct{ userAgent, want string }{
		{"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox on Linux"},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome on Windows"},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", "Edge on Windows"},
		{"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 OPR/115.0.0.0", "Opera on Windows"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15", "Safari on macOS"},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1", "Safari on iPhone"},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"},
		{"Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36", "Samsung Internet on Android"},
		{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome on ChromeOS"},
		{"curl/8.11.0", "curl"},
		{"SomeApp (Android 14)", "Android"},
		{"gatehouse/v0.4.0", "Gatehouse CLI v0.4.0"},
		{"gatehouse/v0.4.0-3-gabc1234+dirty", "Gatehouse CLI v0.4.0-3-gabc1234+dirty"},
		{"gatehouse/<b>", ""},
		{"gatehouse", ""},
		{"something/1.0", ""},
		{"", ""},
	}
	for _, test := range tests {
		t.Run(test.userAgent, func(t *testing.T) {
			t.Parallel()
			if got := view.OfSession(session.Snapshot{UserAgent: test.userAgent}, "").Device; got != test.want {
				t.Errorf("device = %q, want %q", got, test.want)
			}
		})
	}
}

func TestSessionExpiresAtTheEarlierEnd(t *testing.T) {
	t.Parallel()
	used := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name     string
		absolute time.Duration
		want     time.Duration
	}{
		{"idle first", 2 * time.Hour, time.Hour},
		{"absolute first", 30 * time.Minute, 30 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := session.Snapshot{LastUsedAt: used, Idle: time.Hour, ExpiresAt: used.Add(test.absolute)}
			if got := view.OfSession(s, "").ExpiresAt; !got.Equal(used.Add(test.want)) {
				t.Errorf("expires_at = %v, want %v later than %v", got, test.want, used)
			}
		})
	}
}
