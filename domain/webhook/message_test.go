package webhook_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/webhook"
)

// The example of the Standard Webhooks specification, so that its libraries take our messages.
func TestSignedAsStandardWebhooks(t *testing.T) {
	t.Parallel()
	key, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	m := webhook.Message{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Body: []byte(`{"test": 2432232314}`)}
	at := time.Unix(1614265330, 0)
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := m.Signed(key, at); got != want {
		t.Errorf("Signed() = %s, want %s", got, want)
	}
}

func TestBy(t *testing.T) {
	t.Parallel()
	key, other := []byte("key"), []byte("other")
	m := webhook.Message{ID: "dlv_1", Body: []byte(`{"a":1}`)}
	good := m.Signed(key, noon())
	for name, c := range map[string]struct {
		message webhook.Message
		header  string
		at      time.Time
		want    bool
	}{
		"as sent":              {m, good, noon(), true},
		"among others":         {m, "v1a,abc " + m.Signed(other, noon()) + " " + good, noon(), true},
		"another second":       {m, good, noon().Add(time.Second), false},
		"another id":           {webhook.Message{ID: "dlv_2", Body: m.Body}, good, noon(), false},
		"another body":         {webhook.Message{ID: m.ID, Body: []byte(`{"a":2}`)}, good, noon(), false},
		"another key":          {m, m.Signed(other, noon()), noon(), false},
		"without a version":    {m, strings.TrimPrefix(good, "v1,"), noon(), false},
		"of another version":   {m, "v2," + strings.TrimPrefix(good, "v1,"), noon(), false},
		"shortened":            {m, "v1," + base64.StdEncoding.EncodeToString([]byte("short")), noon(), false},
		"an empty signature":   {m, "v1,", noon(), false},
		"no base64":            {m, "v1,%%", noon(), false},
		"nothing":              {m, "", noon(), false},
		"id and body shifted":  {webhook.Message{ID: "dlv_1.", Body: m.Body}, good, noon(), false},
		"body without its end": {webhook.Message{ID: m.ID, Body: m.Body[:len(m.Body)-1]}, good, noon(), false},
	} {
		if got := c.message.By(key, c.header, c.at); got != c.want {
			t.Errorf("%s: By() = %v, want %v", name, got, c.want)
		}
	}
}

// A message is signed by every secret that is live at the time, so that a receiver may switch in between.
func TestSignDuringAnOverlap(t *testing.T) {
	t.Parallel()
	e := made(t)
	if _, err := e.RotateSecret([]byte("second"), time.Hour, noon()); err != nil {
		t.Fatal(err)
	}
	m := webhook.Message{ID: "dlv_1", Body: []byte("{}")}
	for after, want := range map[time.Duration]map[string]bool{
		0:         {"first": true, "second": true, "third": false},
		time.Hour: {"first": false, "second": true, "third": false},
	} {
		at := noon().Add(after)
		header := e.Snapshot().Sign(m, at)
		for key, taken := range want {
			if got := m.By([]byte(key), header, at); got != taken {
				t.Errorf("after %v the signature is by %s: got %v, want %v", after, key, got, taken)
			}
		}
	}
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a secret of one's own": "a secret of one's own",
		"whsec_aGVsbG8=":        "hello",
		"WHSEC_aGVsbG8=":        "WHSEC_aGVsbG8=",
		"whsec_":                "",
		"whsec_aGVsbG8":         "",
		"whsec_aGVsbG9=":        "",
		"whsec_aGVs\nbG8=":      "",
		"whsec_aGVs\rbG8=":      "",
		"whsec_a-_8":            "",
	} {
		got, err := webhook.ParseSecret(text)
		if string(got) != want || (want == "") != errors.Is(err, webhook.ErrSecret) {
			t.Errorf("ParseSecret(%q) = %q, %v, want %q", text, got, err, want)
		}
		if want == "" {
			continue
		}
		if again, err := webhook.ParseSecret(webhook.FormatSecret(got)); err != nil || string(again) != want {
			t.Errorf("ParseSecret(FormatSecret(%q)) = %q, %v, want it unchanged", want, again, err)
		}
	}
}
