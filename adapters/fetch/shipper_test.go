package fetch_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/test/fake/collector"
)

func batch() webhooks.Batch {
	at := time.Date(2026, time.November, 23, 15, 4, 5, 123456000, time.UTC)
	return webhooks.Batch{
		ID:     "ast_1-2",
		Events: []event.Record{{ID: "evt_1", Kind: "login.failed", At: at, Outcome: event.Failure}, {ID: "evt_2", Kind: "role.created", At: at, Outcome: event.Success}},
		Lines:  [][]byte{[]byte(`{"id":"evt_1","text":"ünï\nline"}`), []byte(`{"id":"evt_2"}`)},
	}
}

func TestCheckStream(t *testing.T) {
	t.Parallel()
	strict := fetch.NewSender(fetch.SenderOptions{})
	for _, host := range malicious() {
		for _, scheme := range []string{"syslog+tls", "syslog+tcp"} {
			if strict.CheckStream(auditstream.Syslog, scheme+"://"+host+":6514") == nil {
				t.Errorf("%s://%s passes", scheme, host)
			}
		}
		if strict.CheckStream(auditstream.Splunk, "https://"+host+":8088/services/collector/event") == nil {
			t.Errorf("https://%s passes", host)
		}
	}
	for _, address := range []string{
		"syslog://a.example.com:514", "https://a.example.com", "syslog+tls://a.example.com", "syslog+tls://a.example.com:22",
		"syslog+tls://u@a.example.com:6514", "syslog+tls://a.example.com:6514/x", "syslog+tls://a.example.com:6514?x=1", "syslog+udp://a.example.com:514", "",
	} {
		if strict.CheckStream(auditstream.Syslog, address) == nil {
			t.Errorf("%q passes", address)
		}
	}
	for _, address := range []string{"syslog+tls://a.example.com:6514", "syslog+tcp://a.example.com:514", "syslog+tcp://203.0.114.1:601/"} {
		if err := strict.CheckStream(auditstream.Syslog, address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A receiver of RFC 5424 over TLS reads what is sent; one whose certificate nobody vouches
// for gets nothing.
func TestSyslogOverTLS(t *testing.T) {
	t.Parallel()
	vouched := httptest.NewUnstartedServer(http.NotFoundHandler())
	vouched.StartTLS()
	t.Cleanup(vouched.Close)
	pool := x509.NewCertPool()
	pool.AddCert(vouched.Certificate())
	receiver := collector.NewSyslog(t, &tls.Config{Certificates: vouched.TLS.Certificates})
	sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback, Roots: pool})
	to := auditstream.Snapshot{Kind: auditstream.Syslog, URL: "syslog+tls://" + receiver.Address()}
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err != nil {
		t.Fatal(err)
	}
	got, broken := receiver.Messages()
	if len(broken) > 0 || len(got) != 2 {
		t.Fatalf("got %v, broken %v", got, broken)
	}
	want := batch()
	for i, m := range got {
		severity := map[event.Outcome]int{event.Success: 5, event.Failure: 4}[want.Events[i].Outcome]
		if m.Facility != 13 || m.Severity != severity || m.AppName != "gatehouse" || m.MsgID != string(want.Events[i].Kind) ||
			!m.At.Equal(want.Events[i].At) || m.Text != string(want.Lines[i]) {
			t.Errorf("got %+v", m)
		}
	}
	strict := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback})
	if err := strict.Ship(t.Context(), to, batch(), time.Now()); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("without a trusted certificate: %v", err)
	}
	if err := fetch.NewSender(fetch.SenderOptions{Roots: pool}).Ship(t.Context(), to, batch(), time.Now()); err == nil {
		t.Error("a private address is dialed")
	}
	if got, _ := receiver.Messages(); len(got) != 2 {
		t.Errorf("%d messages came", len(got))
	}
}

func TestSyslogThatBreaks(t *testing.T) {
	t.Parallel()
	receiver := collector.NewSyslog(t, nil)
	sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback})
	to := auditstream.Snapshot{Kind: auditstream.Syslog, URL: "syslog+tcp://" + receiver.Address()}
	receiver.Refuse(true)
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err == nil {
		t.Error("a connection that was reset took the batch")
	}
	receiver.Refuse(false)
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err != nil {
		t.Error(err)
	}
}

func TestSplunk(t *testing.T) {
	t.Parallel()
	splunk := collector.NewHEC(t, "b0221cd8-c4b4-465a-9a3c-273e3a75aa29")
	sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback, HTTP: true})
	to := auditstream.Snapshot{Kind: auditstream.Splunk, URL: splunk.URL + "/services/collector/event", Secret: splunk.Token}
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err != nil {
		t.Fatal(err)
	}
	got := splunk.Events()
	if len(got) != 2 || got[0].Time.String() != "1795446245.123456" || got[0].SourceType != "gatehouse:audit" || string(got[1].Event) != `{"id":"evt_2"}` {
		t.Errorf("got %+v", got)
	}
	var inner map[string]string
	if err := json.Unmarshal(got[0].Event, &inner); err != nil || inner["text"] != "ünï\nline" {
		t.Errorf("got %v, %v", inner, err)
	}
	splunk.Busy(true)
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err == nil || err.Error() != "the receiver responded with HTTP status 503" {
		t.Errorf("busy: %v", err)
	}
	to.Secret = "wrong"
	if err := sender.Ship(t.Context(), to, batch(), time.Now()); err == nil || err.Error() != "the receiver responded with HTTP status 403" {
		t.Errorf("a wrong token: %v", err)
	}
}
