// Package authorization lets clients act for people: it answers authorization requests, keeps
// what people consented to, and gives tokens for codes, device codes and refresh tokens
// (spec/oauth.md).
//
// # Decision: a request that waits is a challenge
//
// Context: a request waits for a login, for an answer, or, pushed beforehand, for its browser.
// In between it must be whole, short-lived, used once, and found by nobody who does not hold
// its handle.
//
// Choice: that is what challenges are (package challenge), so it is one, with the request as
// its sealed content. A request that waits for a login is opened again afterwards by its
// handle, as a pushed one is; so a login is known to be newer than it.
//
// What would change our mind: requests that outlive the half hour in which they are answered.
//
// # Decision: a device that was let in has its grant at once
//
// Context: between the answer of a person and the next question of a device lie some seconds.
// Whatever ends a grant must end what the device is about to be given, too: the app shut out,
// the session signed out, the account claimed.
//
// Choice: the answer makes the grant, with the device code as its code, so that the device
// redeems it as any client does: once, on whichever replica, and a second time ends it. The
// device itself stays what it is, two codes and an answer.
//
// What would change our mind: answers that are not the last word, such as of a second person.
package authorization

import (
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/granting"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/token"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Grants     delegation.Grants
	Devices    delegation.Devices
	Consents   delegation.Consents
	Challenges signin.Challenges
	Apps       machines.Apps
	Strangers  machines.Strangers
	Events     outbound.Events
}

// Service authorizes clients.
type Service struct {
	Unit      outbound.Unit[Repos]
	Turns     delegation.GrantTurns
	Apps      machines.Clients
	Consents  delegation.ConsentDirectory
	Devices   delegation.DeviceDirectory
	Links     signin.Links
	Openings  signin.Openings
	Admission outbound.Admission
	Clients   *client.Authenticator
	Audiences *audience.Rules
	Access    *token.Access
	Texts     *token.Grants
	Books     *granting.Books
	Proofs    *proof.Checker
	Instance  *instance.Current
	// Keys sign ID tokens.
	Keys   *keys.Rack
	Clock  outbound.Clock
	IDs    outbound.IDs
	Random outbound.Random
	// Blinder makes the digests of user codes.
	Blinder outbound.Blinder
}
