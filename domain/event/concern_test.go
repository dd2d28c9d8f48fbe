package event_test

import (
	"testing"

	"gatehouse.internal/domain/event"
)

type (
	person string
	org    string
)

func (p person) String() string { return "the person " + string(p) }

// about is embedded by contents.
type about struct {
	UserID person `json:"user_id"`
	OrgID  org
}

type joined struct {
	about

	Name string
}

// counted names by UserID what is no identifier.
type counted struct {
	UserID int
	OrgID  *org
}

// refused says itself what it is filed under.
type refused struct{ UserID string }

type text string

func (about) Kind() event.Kind   { return "about" }
func (counted) Kind() event.Kind { return "counted" }
func (refused) Kind() event.Kind { return "refused" }
func (text) Kind() event.Kind    { return "text" }

func (r refused) Concerns() event.Concern { return event.Concern{OrgID: r.UserID, Failed: true} }

func TestConcernOf(t *testing.T) {
	t.Parallel()
	named := about{UserID: "usr_1", OrgID: "org_1"}
	for content, want := range map[event.Data]event.Concern{
		named:                               {UserID: "usr_1", OrgID: "org_1"},
		joined{about: named, Name: "usr_2"}: {UserID: "usr_1", OrgID: "org_1"},
		about{OrgID: "org_1"}:               {OrgID: "org_1"},
		counted{UserID: 7, OrgID: new(org)}: {},
		refused{UserID: "usr_1"}:            {OrgID: "usr_1", Failed: true},
		text("usr_1"):                       {},
	} {
		if got := event.ConcernOf(content); got != want {
			t.Errorf("ConcernOf(%#v) = %+v, want %+v", content, got, want)
		}
	}
}
