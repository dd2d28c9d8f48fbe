package job_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
)

// callers are those who may ask for a job, by name.
func callers() map[string]access.Caller {
	const key, client = "key_01jd7x9k2mf3q8v5t0abcdefgh", "app_01jd7x9k2mf3q8v5t0abcdefgh"
	return map[string]access.Caller{
		"the person":      {Kind: access.Person, User: owner, Org: there},
		"impersonated":    {Kind: access.Impersonated, User: owner, Actor: "usr_other", Org: there},
		"another person":  {Kind: access.Person, User: "usr_other", Org: there},
		"their key":       {Kind: access.Key, User: owner, APIKey: key, Org: there},
		"another key":     {Kind: access.Key, User: owner, APIKey: "key_other", Org: there},
		"an app":          {Kind: access.App, App: client, Org: there},
		"another app":     {Kind: access.App, App: "app_other", Org: there},
		"their delegate":  {Kind: access.Delegated, User: owner, App: client, Org: there},
		"nobody":          {},
		"a nameless user": {Kind: access.Person},
		"a nameless key":  {Kind: access.Key},
		"a nameless app":  {Kind: access.App},
	}
}

// Every maker against every caller: a key or an app sees what it started alone, a person also what their keys did.
func TestMakerIs(t *testing.T) {
	t.Parallel()
	for maker, takes := range map[string][]string{
		"the person":     {"the person", "impersonated"},
		"another person": {"another person"},
		"their key":      {"the person", "impersonated", "their key"},
		"another key":    {"the person", "impersonated", "another key"},
		"an app":         {"an app"},
		"another app":    {"another app"},
		"nobody":         {},
	} {
		want := map[string]bool{}
		for _, name := range takes {
			want[name] = true
		}
		made := job.MakerOf(callers()[maker], event.Origin{}, "users:delete", false)
		for name, caller := range callers() {
			if got := made.Is(caller); got != want[name] {
				t.Errorf("a job of %s is that of %s: got %v, want %v", maker, name, got, want[name])
			}
		}
	}
}

func TestMakerOfKeepsTheRights(t *testing.T) {
	t.Parallel()
	caller := callers()["their key"]
	caller.Scopes = []string{"users:delete"}
	got := job.MakerOf(caller, event.Origin{IP: "192.0.2.1"}, "users:delete", true)
	if got.Needs != "users:delete" || !got.Superadmin || got.System || got.OrgID != there || got.Key != caller.APIKey || len(got.Scopes) != 1 || got.Origin.IP != "192.0.2.1" {
		t.Errorf("MakerOf() = %+v, want what was handed in, and no system job", got)
	}
}

func TestCheckReader(t *testing.T) {
	t.Parallel()
	may := func(permissions ...string) access.Caller {
		return access.Caller{Kind: access.Person, User: owner, Org: there, Permissions: permissions}
	}
	elsewhere := may("users:delete", "users:manage")
	elsewhere.Org = "org_other"
	root := access.Caller{Kind: access.Person, User: owner, Superadmin: true}
	workspace, instance := job.Maker{UserID: owner, OrgID: there, Needs: "users:delete"}, job.Maker{UserID: owner, OrgID: there, Needs: "users:manage"}
	superadmin := job.Maker{UserID: owner, OrgID: there, Needs: "users:delete", Superadmin: true}
	end := noon().Add(job.ResultsKept)
	for name, c := range map[string]struct {
		maker  job.Maker
		caller access.Caller
		at     time.Time
		want   error
	}{
		"the maker":                               {workspace, may("users:delete"), noon(), nil},
		"the maker, at the last moment":           {workspace, may("users:delete"), end.Add(-1), nil},
		"the maker, too late":                     {workspace, may("users:delete"), end, job.ErrGone},
		"the maker without the right":             {workspace, may("users:read"), noon(), job.ErrLess},
		"the maker without the right, too late":   {workspace, may(), end, job.ErrLess},
		"the maker in another workspace":          {workspace, elsewhere, noon(), job.ErrElsewhere},
		"somebody else with every right":          {workspace, access.Caller{Kind: access.Person, User: "usr_other", Superadmin: true}, noon(), job.ErrNotFound},
		"the maker, who is a superadmin by now":   {workspace, root, noon(), nil},
		"of the instance, in another workspace":   {instance, elsewhere, noon(), nil},
		"of the instance, by * of a workspace":    {instance, may("*"), noon(), job.ErrLess},
		"of a superadmin, who is none any more":   {superadmin, may("users:delete"), noon(), job.ErrLess},
		"of a superadmin, elsewhere, demoted too": {superadmin, elsewhere, noon(), job.ErrLess},
		"of a superadmin":                         {superadmin, root, noon(), nil},
	} {
		s := in(job.Succeeded, c.maker).Snapshot()
		if err := s.CheckReader(c.caller, c.at); !errors.Is(err, c.want) {
			t.Errorf("%s: CheckReader() = %v, want %v", name, err, c.want)
		}
	}
	if err := in(job.Running, workspace).Snapshot().CheckReader(may("users:delete"), end.Add(time.Hour)); err != nil {
		t.Errorf("a job that still runs: CheckReader() = %v, want nil", err)
	}
}

// A job is shown to its maker and to readers of its workspace, and stopped by its maker and writers.
func TestShownAndStopped(t *testing.T) {
	t.Parallel()
	s := in(job.Running, order().Maker).Snapshot()
	of := s
	of.OrgID = ""
	with := func(org workspace.ID, permissions ...string) access.Caller {
		return access.Caller{Kind: access.Person, User: "usr_other", Org: org, Permissions: permissions}
	}
	for name, c := range map[string]struct {
		job            job.Snapshot
		caller         access.Caller
		shown, stopped bool
	}{
		"the maker without rights":      {s, callers()["the person"], true, true},
		"a reader":                      {s, with(there, "jobs:read"), true, false},
		"a writer":                      {s, with(there, "jobs:write"), false, true},
		"a member without rights":       {s, with(there, "users:read"), false, false},
		"a reader elsewhere":            {s, with("org_other", "jobs:read", "jobs:write"), false, false},
		"a superadmin":                  {s, access.Caller{Kind: access.Person, User: "usr_other", Superadmin: true}, true, true},
		"a member, of the instance":     {of, with(there, "*"), false, false},
		"without one, of the instance":  {of, with("", "*"), false, false},
		"a superadmin, of the instance": {of, access.Caller{Kind: access.Person, User: "usr_other", Superadmin: true}, true, true},
	} {
		if got := c.job.Shown(c.caller); got != c.shown {
			t.Errorf("%s: Shown() = %v, want %v", name, got, c.shown)
		}
		if got := c.job.Stopped(c.caller); got != c.stopped {
			t.Errorf("%s: Stopped() = %v, want %v", name, got, c.stopped)
		}
	}
}
