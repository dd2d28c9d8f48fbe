package resource_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func draft() resource.Draft {
	return resource.Draft{
		ID: "rsv_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: mine, Identifier: "https://api.example.com", Name: "Billing",
		Scopes: []resource.Scope{{Name: "invoices:read", Description: "Read invoices."}}, AccessTTL: 10 * time.Minute,
		SigningAlg: signingkey.ES256, SkipConsent: true, Origin: resource.ByWorkspace,
	}
}

// raised hands the events of a resource over.
func raised(r *resource.Resource) []event.Data { return r.Stored() }

// wantPath fails the test unless an error complains about a parameter.
func wantPath(t *testing.T, err error, path string) {
	t.Helper()
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != fault.Validation || !slices.ContainsFunc(refused.Fields, func(f fault.Field) bool { return f.Path == path }) {
		t.Errorf("got %v, want a complaint about %s", err, path)
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	made, err := resource.Register(draft(), noon())
	if err != nil {
		t.Fatal(err)
	}
	s := made.Snapshot()
	if s.OrgID != mine || s.Origin != resource.ByWorkspace || !s.CreatedAt.Equal(noon()) || len(s.Scopes) != 1 || !s.SkipConsent {
		t.Errorf("registered as %+v", s)
	}
	want := resource.Created{ResourceID: s.ID, OrgID: mine, Identifier: s.Identifier, Origin: resource.ByWorkspace}
	if events := raised(made); len(events) != 1 || events[0] != want || event.ConcernOf(want).OrgID != mine.String() {
		t.Errorf("told %+v", events)
	}
	for path, change := range map[string]func(d *resource.Draft){
		"/scopes":             func(d *resource.Draft) { d.OrgID, d.Scopes = "", nil },
		"/scopes/0/name":      func(d *resource.Draft) { d.Scopes = []resource.Scope{{Name: "users:read"}} },
		"/scopes/1/name":      func(d *resource.Draft) { d.Scopes = []resource.Scope{{Name: "a"}, {Name: "a"}} },
		"/access_ttl_seconds": func(d *resource.Draft) { d.AccessTTL = 25 * time.Hour },
	} {
		wrong := draft()
		change(&wrong)
		_, err := resource.Register(wrong, noon())
		wantPath(t, err, path)
	}
	many := draft()
	many.Scopes = make([]resource.Scope, 201)
	_, err = resource.Register(many, noon())
	wantPath(t, err, "/scopes")
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	claimed := resource.Claim("rsv_01jd7x9k2mf3q8v5t0abcdefgx", other, "https://api.example.com", noon())
	if s := claimed.Snapshot(); s.Origin != resource.FirstUse || s.Name != s.Identifier || len(raised(claimed)) != 1 {
		t.Errorf("claimed as %+v", s)
	}
	wrong := draft()
	wrong.AccessTTL = time.Second
	wantPath(t, claimed.Confirm(wrong, noon()), "/access_ttl_seconds")
	later := noon().Add(time.Hour)
	if err := claimed.Confirm(draft(), later); err != nil {
		t.Fatal(err)
	}
	s := claimed.Snapshot()
	if s.ID != "rsv_01jd7x9k2mf3q8v5t0abcdefgx" || s.OrgID != mine || s.Name != "Billing" || s.Origin != resource.ByWorkspace ||
		!s.CreatedAt.Equal(noon()) || !s.UpdatedAt.Equal(later) {
		t.Errorf("confirmed as %+v", s)
	}
	if events := raised(claimed); len(events) != 1 || events[0].Kind() != resource.KindCreated {
		t.Errorf("told %+v", events)
	}
	if err := claimed.Confirm(draft(), later); !errors.Is(err, resource.ErrRegistered) {
		t.Errorf("confirmed twice: %v", err)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	at := resource.Restore(resource.Claim("rsv_01jd7x9k2mf3q8v5t0abcdefgx", mine, "https://api.example.com", noon()).Snapshot(), 1)
	same := at.Snapshot().Name
	if err := at.Update(resource.Change{Name: &same}, noon()); err != nil || at.Snapshot().Origin != resource.ByWorkspace {
		t.Errorf("an API of first use that somebody changes: %v, %+v", err, at.Snapshot())
	}
	if events := raised(at); len(events) != 1 {
		t.Errorf("told %+v", events)
	}
	if err := at.Update(resource.Change{Name: &same, Scopes: []resource.Scope{}}, noon()); err != nil || at.Changed() {
		t.Errorf("what stays the same: %v, told %+v", err, raised(at))
	}
	name, life, alg, skip, org := "Other", time.Hour, signingkey.RS256, true, other
	err := at.Update(resource.Change{
		Name: &name, Scopes: []resource.Scope{{Name: "a"}}, AccessTTL: &life, SigningAlg: &alg, SkipConsent: &skip, Org: &org,
	}, noon().Add(time.Minute))
	s := at.Snapshot()
	if err != nil || s.Name != name || len(s.Scopes) != 1 || s.AccessTTL != life || s.SigningAlg != alg || !s.SkipConsent ||
		s.OrgID != other || s.Origin != resource.BySuperadmin || !s.UpdatedAt.Equal(noon().Add(time.Minute)) {
		t.Errorf("changed to %+v, %v", s, err)
	}
	events := raised(at)
	var filed []string
	for _, data := range events {
		updated, _ := data.(resource.Updated)
		if updated.OrgID != other || updated.PreviousOrgID != mine || len(updated.Changed) != 7 {
			t.Errorf("told %+v", updated)
		}
		filed = append(filed, event.ConcernOf(data).OrgID)
	}
	if !slices.Equal(filed, []string{other.String(), mine.String()}) {
		t.Errorf("a move is told to %q, want both workspaces", filed)
	}
	none := workspace.ID("")
	wantPath(t, at.Update(resource.Change{Scopes: []resource.Scope{}, Org: &none}, noon()), "/scopes")
	if at.Changed() || at.Snapshot().OrgID != other {
		t.Error("a refused change was made")
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	made, err := resource.Register(draft(), noon())
	if err != nil {
		t.Fatal(err)
	}
	raised(made)
	made.Delete()
	if events := raised(made); len(events) != 1 || events[0].Kind() != resource.KindDeleted || event.ConcernOf(events[0]).OrgID != mine.String() {
		t.Errorf("told %+v", events)
	}
}

func TestEventsAreFiledUnderTheWorkspace(t *testing.T) {
	t.Parallel()
	for _, d := range resource.Events() {
		if c := event.ConcernOf(d.Example); c.OrgID != mine.String() || c.UserID != "" || c.Failed {
			t.Errorf("%s concerns %+v", d.Example.Kind(), c)
		}
	}
}
