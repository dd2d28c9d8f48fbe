// Package impersonation holds impersonations: somebody of the support staff acts as a person for
// some minutes, to see what they see (registry family IMPERSONATION, RFC 8693 section 1.1).
//
// An [Impersonation] says who acts as whom, why and until when. It lends a session
// ([session.Impersonate]) of the person, which no refresh token renews, and whose access token names the
// actor in its claim act. All that is stored meanwhile names the actor as who did it, on behalf of
// the person.
//
// # Who may
//
// Who holds users:impersonate, which no role of a workspace carries: of people those are the
// superadmins. It takes a session of their own with a recent login, so no API key, no app, and
// nobody who is acting as somebody else already. Nobody acts as themselves, or as a superadmin:
// no account that holds a permission of the instance. Where the session policy asks for it, the
// person must have allowed it, until a time, by a [Consent].
//
// Whoever acts as a person does what an API key of theirs with every scope could do. What is for
// the person alone (access.Rule.InPerson) and what asks for a recent login (access.Rule.Recent) is
// refused to them; one that reads only changes nothing at all.
//
// # States
//
// It is active until the first of these: somebody stops it (the actor, the person, or who holds
// users:manage), its time is over, its session is ended as any session is, the actor's own session
// ends, the actor is disabled, deleted or no superadmin any more, the person is disabled, deleted or
// made a superadmin, or takes their consent back, the session policy comes to forbid it
// ([Standing.Forbidden]). What it rests on is looked at with every request
// ([Standing.Fallen], account.Policies.Fallen), so an end holds at once; the upkeep of the instance notes those ends that nobody
// stopped it by, and tells of them (impersonation.expired).
//
// # Decision: no refresh token, and no cookie
//
// Context: other services let support in through the login pages, by a session as good as any. Choice:
// one access token, as long as the impersonation. It is enough to call the API and an application of one's
// own, it ends by itself, and what is for the person alone need not be hidden on any page.
// What would change our mind: support that has to see the account pages themselves.
package impersonation
