package maildomain_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

const (
	one = maildomain.ID("dom_01jd7x9k2mf3q8v5t0abcdefgh")
	org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	day = 24 * time.Hour
)

func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

func claimed(t *testing.T, name email.Domain) *maildomain.Domain {
	t.Helper()
	d, err := maildomain.Claim(maildomain.Draft{ID: one, OrgID: org, Name: name, Proof: "proof", Rules: maildomain.Rules{Role: role.Member}}, noon())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func kinds(d *maildomain.Domain) []event.Kind {
	var all []event.Kind
	for _, e := range d.Stored() {
		all = append(all, e.Kind())
	}
	return all
}

func TestClaimable(t *testing.T) {
	t.Parallel()
	long := email.Domain(strings.Repeat("a23456789.", 23) + "com") // 233 characters
	for name, want := range map[email.Domain]error{
		"example.com": nil, "mail.example.com": nil, "example.co.uk": nil, "xn--bcher-kva.example": nil, "intranet.test": nil, long[1:]: nil,
		"com": maildomain.ErrSuffix, "co.uk": maildomain.ErrSuffix, "github.io": maildomain.ErrSuffix, "x.kawasaki.jp": maildomain.ErrSuffix, "blogspot.com": maildomain.ErrSuffix,
		"gmail.com": maildomain.ErrProvider, "yahoo.co.jp": maildomain.ErrProvider, "mx.hotmail.fr": maildomain.ErrProvider, "outlook.de": maildomain.ErrProvider,
		"icloud.com": maildomain.ErrProvider, "proton.me": maildomain.ErrProvider, "mailinator.com": maildomain.ErrProvider, "web.de": maildomain.ErrProvider,
		long: maildomain.ErrLong,
	} {
		if got := maildomain.Claimable(name); !errors.Is(got, want) || (got == nil) != (want == nil) {
			t.Errorf("Claimable(%s) = %v, want %v", name, got, want)
		}
		if _, err := maildomain.Claim(maildomain.Draft{ID: one, OrgID: org, Name: name, Proof: "proof"}, noon()); (err == nil) != (want == nil) {
			t.Errorf("Claim(%s) = %v", name, err)
		}
	}
}

func TestProof(t *testing.T) {
	t.Parallel()
	proof := maildomain.NewProof(fixed{})
	record := maildomain.Snapshot{Name: "example.com", Proof: proof}.Record()
	if record.Name != "_gatehouse-challenge.example.com" || record.Value != "gatehouse-verification="+proof || len(proof) != 43 {
		t.Errorf("record = %+v", record)
	}
	if record.In(nil) || record.In([]string{"v=spf1 -all", record.Value + " "}) || !record.In([]string{"v=spf1 -all", record.Value}) {
		t.Error("the record is not found among others")
	}
}

type fixed struct{}

func (fixed) Bytes(n int) []byte { return bytes.Repeat([]byte{0xa5}, n) }

func TestJoinable(t *testing.T) {
	t.Parallel()
	for _, r := range role.Builtin() {
		if got, want := maildomain.Joinable(r.Permissions), r.Name == role.Member; got != want {
			t.Errorf("%s may be joined with: %t", r.Name, got)
		}
	}
	for _, mighty := range []string{"members:write", "members:*", "*:write", "*", "*:*"} {
		if maildomain.Joinable(access.Permissions{"flows:read", mighty}) {
			t.Errorf("%s may be joined with", mighty)
		}
	}
}

func TestVerificationIsLostAfterSevenDaysOfMisses(t *testing.T) {
	t.Parallel()
	d := claimed(t, "example.com")
	if d.Missed(noon()) || d.Snapshot().Verified() {
		t.Error("a claim that is not verified misses something")
	}
	d.Found(noon())
	d.Found(noon().Add(time.Hour))
	s := d.Snapshot()
	if !s.VerifiedAt.Equal(noon()) || !s.CheckAt.Equal(noon().Add(time.Hour+day)) {
		t.Errorf("verified: %+v", s)
	}
	first := noon().Add(day)
	for n := range 7 {
		if got := d.Missed(first.Add(time.Duration(n) * day)); got != (n == 0) || !d.Snapshot().Verified() {
			t.Errorf("miss %d: first %t, verified %t", n, got, d.Snapshot().Verified())
		}
	}
	d.Unanswered(first.Add(7 * day))
	if s := d.Snapshot(); !s.Verified() || !s.CheckAt.Equal(first.Add(7*day+time.Hour)) || !s.LostAt().Equal(first.Add(7*day)) {
		t.Errorf("unanswered: %+v", s)
	}
	if d.Missed(first.Add(7 * day)) {
		t.Error("the last miss is the first")
	}
	if s := d.Snapshot(); s.Verified() || !s.CheckAt.IsZero() || !s.LostAt().IsZero() || s.Proof != "proof" {
		t.Errorf("lost: %+v", s)
	}
	d.Found(first.Add(8 * day))
	if got, want := kinds(d), []event.Kind{maildomain.KindAdded, maildomain.KindVerified, maildomain.KindLost, maildomain.KindVerified}; !slices.Equal(got, want) {
		t.Errorf("raised %v, want %v", got, want)
	}
}

func TestRestoredRecordIsNotAMiss(t *testing.T) {
	t.Parallel()
	d := claimed(t, "example.com")
	d.Found(noon())
	d.Missed(noon().Add(day))
	d.Found(noon().Add(7 * day))
	if !d.Missed(noon().Add(8*day)) || !d.Snapshot().Verified() {
		t.Error("a miss after the record was back is not the first")
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	d := claimed(t, "example.com")
	d.Update(maildomain.Rules{Role: role.Member})
	if len(d.Stored()) != 1 {
		t.Error("what stays the same raises something")
	}
	d.Update(maildomain.Rules{AutoJoin: true, Role: "rol_x", RequireSSO: true})
	d.Remove()
	raised := d.Stored()
	updated, _ := raised[0].(maildomain.Updated)
	if !slices.Equal(updated.Changed, []string{"auto_join", "role", "require_sso"}) || raised[1].Kind() != maildomain.KindRemoved {
		t.Errorf("raised %+v", raised)
	}
}
