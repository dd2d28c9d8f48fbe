package identity

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of identities.
const (
	KindLinked   event.Kind = "identity.linked"
	KindUnlinked event.Kind = "identity.unlinked"
)

// Linked is the content of identity.linked.
type Linked struct {
	IdentityID ID      `json:"identity_id" doc:"ID of the new link."`
	UserID     user.ID `json:"user_id" doc:"User that the account was linked to."`
	Provider   string  `json:"provider" doc:"Name of the provider."`
}

// Unlinked is the content of identity.unlinked.
type Unlinked struct {
	IdentityID ID      `json:"identity_id" doc:"ID of the removed link."`
	UserID     user.ID `json:"user_id" doc:"User that the account was linked to."`
	Provider   string  `json:"provider" doc:"Name of the provider."`
}

func (Linked) Kind() event.Kind   { return KindLinked }
func (Unlinked) Kind() event.Kind { return KindUnlinked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		example = ID("idn_01jd7x9k2mf3q8v5t0abcdefgh")
		person  = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "An account at a provider was linked for signing in.", Example: Linked{example, person, "github"}},
		{Summary: "An account at a provider was unlinked.", Example: Unlinked{example, person, "github"}},
	}
}
