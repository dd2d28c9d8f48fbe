// Package authorization implements the delegation of access to clients: authorization
// requests, consents, and tokens for codes, device codes and refresh tokens
// (spec/oauth.md).
//
// # Decision: a pending request is a challenge
//
// Context: a request waits for a login, for a consent or, if it was pushed, for its
// browser. Meanwhile it must be complete, short-lived, used once, and accessible only
// with its handle.
//
// Choice: challenges have these properties (package challenge), so it is one, with the
// request as its encrypted content. A request that waits for a login is opened again
// afterwards by its handle, like a pushed one, so that the login is known to be newer
// than the request.
//
// A page may be left open for longer than the half hour for which the request is stored.
// Its request_uri therefore ends with the sealed request, which continues it for a day.
// If the request was pushed, is long, or is older, the sealed part leads an error back to
// the client.
//
// What would change our mind: requests that are answered in another browser.
//
// # Decision: the approval of a device creates the grant
//
// Context: some seconds pass between a person's approval and the next poll of a device.
// Whatever ends a grant must also end what the device is about to receive: revoked
// consent, a sign-out, or a claim of the account.
//
// Choice: the approval creates the grant, with the device code as its code, so that the
// device redeems it like any client: once, on any replica, and a second use ends it.
// The device authorization itself consists of two codes and the decision.
//
// What would change our mind: answers that are not the last word, such as of a second
// person.
package authorization

import (
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/signin/login"
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
	Books     *rolegrant.Books
	// Custom evaluates the custom claims of apps.
	Custom *claims.Service
	// Login decides whether grants go on.
	Login    *login.Service
	Proofs   *proof.Checker
	Instance *instance.Current
	// Keys sign ID tokens.
	Keys   *keys.Rack
	Clock  outbound.Clock
	IDs    outbound.IDs
	Random outbound.Random
	// Blinder makes the digests of user codes.
	Blinder outbound.Blinder
	// Sealer encrypts what outlasts a pending request in its request_uri.
	Sealer outbound.Sealer
}
