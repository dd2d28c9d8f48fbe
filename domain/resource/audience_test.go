package resource_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
)

const (
	mine  = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	other = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgx")
)

// api is an audience of a workspace with a resource of an origin.
func api(org workspace.ID, origin resource.Origin, scopes ...string) *resource.Audience {
	return &resource.Audience{Name: "https://api.example.com", OrgID: org, Version: 1, Origin: origin, Scopes: scopes}
}

// slug is an audience that nothing is registered under, but that is a slug.
func slug(org workspace.ID) *resource.Audience {
	return &resource.Audience{Name: "billing", OrgID: org, Slug: true, Version: 1}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	vouched := app.Snapshot{OrgID: mine, Scopes: []string{"read", "send"}, Vouched: []string{"read"}}
	for name, c := range map[string]struct {
		held               *resource.Audience
		of                 app.Snapshot
		firstUse, regulars error
	}{
		"claimed by first use":                 {api(mine, resource.FirstUse), vouched, nil, resource.ErrUnregistered},
		"registered by the workspace":          {api(mine, resource.ByWorkspace), vouched, nil, resource.ErrUnregistered},
		"registered by a superadmin":           {api(mine, resource.BySuperadmin), vouched, nil, nil},
		"of another workspace":                 {api(other, resource.BySuperadmin), vouched, resource.ErrForeign, resource.ErrForeign},
		"of another, by first use":             {api(other, resource.FirstUse), vouched, resource.ErrForeign, resource.ErrForeign},
		"a slug":                               {slug(mine), vouched, nil, nil},
		"a slug of another":                    {slug(other), vouched, resource.ErrForeign, resource.ErrForeign},
		"deleted":                              {api(mine, ""), vouched, resource.ErrDeleted, resource.ErrDeleted},
		"deleted by another":                   {api(other, ""), vouched, resource.ErrForeign, resource.ErrForeign},
		"of the instance, with a grant":        {api("", resource.BySuperadmin, "read", "write"), vouched, nil, nil},
		"of the instance, without":             {api("", resource.BySuperadmin, "write"), vouched, resource.ErrUngranted, resource.ErrUngranted},
		"of the instance, by its own grant":    {api("", resource.BySuperadmin, "send"), vouched, resource.ErrUngranted, resource.ErrUngranted},
		"of the instance, deleted":             {api("", ""), vouched, resource.ErrDeleted, resource.ErrDeleted},
		"a slug that somebody also registered": {&resource.Audience{OrgID: mine, Slug: true, Origin: resource.ByWorkspace}, vouched, nil, nil},
	} {
		if err := c.held.Admit(c.of, false); !errors.Is(err, c.firstUse) {
			t.Errorf("%s: Admit() = %v, want %v", name, err, c.firstUse)
		}
		if err := c.held.Admit(c.of, true); !errors.Is(err, c.regulars) {
			t.Errorf("%s: Admit() of registered ones alone = %v, want %v", name, err, c.regulars)
		}
	}
}

func TestRemaining(t *testing.T) {
	t.Parallel()
	type list = []string
	free := app.Snapshot{OrgID: mine, Scopes: list{"apps:read", "read", "send"}, Vouched: list{"read"}, Withdrawn: list{"gone"}}
	listed := free
	listed.Listed = true
	asked := list{"apps:read", "apps:write", "read", "send", "write", "gone"}
	for name, c := range map[string]struct {
		held *resource.Audience
		of   app.Snapshot
		want list
	}{
		"this service":                     {nil, free, list{"apps:read", "read", "send", "write"}},
		"this service, with a list":        {nil, listed, list{"apps:read", "read", "send"}},
		"an API without scopes":            {api(mine, resource.ByWorkspace), free, list{"apps:read", "read", "send", "write"}},
		"a slug":                           {slug(mine), free, list{"apps:read", "read", "send", "write"}},
		"an API with scopes":               {api(mine, resource.ByWorkspace, "read", "write", "gone"), free, list{"apps:read", "read", "write"}},
		"an API with scopes, and a list":   {api(mine, resource.ByWorkspace, "read", "write"), listed, list{"apps:read", "read"}},
		"an API of the instance":           {api("", resource.BySuperadmin, "read", "send", "write"), free, list{"apps:read", "read"}},
		"an API of the instance, a list":   {api("", resource.BySuperadmin, "read", "send"), listed, list{"apps:read", "read"}},
		"another one, which lacks a scope": {api("", resource.BySuperadmin, "write"), free, list{"apps:read"}},
	} {
		before := slices.Clone(asked)
		if got := c.held.Remaining(c.of, asked); !slices.Equal(got, c.want) {
			t.Errorf("%s: Remaining() = %q, want %q", name, got, c.want)
		}
		if !slices.Equal(asked, before) {
			t.Fatalf("%s: what was asked for is %q now", name, asked)
		}
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	short := api(mine, resource.ByWorkspace)
	short.AccessTTL = 10 * time.Minute
	for name, c := range map[string]struct {
		held      *resource.Audience
		app, want time.Duration
	}{
		"this service":       {nil, time.Hour, time.Hour},
		"no life of its own": {api(mine, resource.ByWorkspace), time.Hour, time.Hour},
		"a shorter one":      {short, time.Hour, 10 * time.Minute},
		"a longer one":       {short, time.Minute, time.Minute},
	} {
		if got := c.held.Life(c.app); got != c.want {
			t.Errorf("%s: Life() = %v, want %v", name, got, c.want)
		}
	}
}

func TestFree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held              *resource.Audience
		person, superuser bool
	}{
		"nobody's":                    {nil, true, true},
		"the workspace's own":         {api(mine, resource.ByWorkspace), true, true},
		"its own slug":                {slug(mine), true, true},
		"another's, registered":       {api(other, resource.ByWorkspace), false, false},
		"another's, by a superadmin":  {api(other, resource.BySuperadmin), false, false},
		"another's, by first use":     {api(other, resource.FirstUse), false, true},
		"another's, deleted":          {api(other, ""), false, true},
		"another's slug":              {slug(other), false, false},
		"another's slug, first asked": {&resource.Audience{OrgID: other, Slug: true, Origin: resource.FirstUse}, false, false},
		"the instance's":              {api("", resource.BySuperadmin, "read"), false, false},
	} {
		if got := c.held.Free(mine, false); got != c.person {
			t.Errorf("%s: Free() = %v", name, got)
		}
		if got := c.held.Free(mine, true); got != c.superuser {
			t.Errorf("%s: Free() for a superadmin = %v", name, got)
		}
	}
}
