// Package login is the only way to create a session. However a person proved their
// identity, the checks of disabled accounts, second factors, remembered devices, required
// actions and session policies are implemented here, and nowhere else (specification
// section 4.5).
//
// # A sign-in
//
// A door is a way of signing in: a password (this package), a mailed code or link, a ticket or
// another session (passwordless), a passkey, an upstream provider (social), or a sign-up. A door
// does three things. Before any unit of work it does what is slow: it compares hashes, verifies
// signatures, exchanges codes and reads the policies of the account. Inside one, it uses up what
// was proved and passes a [Proof] to [Service.Enter]. Afterwards it has [Service.Answer] sign the
// tokens. Enter runs the stages below in their order. The first one that refuses, or asks for a
// second factor, ends the sign-in: no stage but the last, events, runs after it.
//
// Each stage is the method of its name, in the file of its name. It reads the proof and what
// earlier stages have added to the entry:
//
//  1. proof: refuses a proof that failed. Reads the credential of a password, which was compared
//     before, and starts the sign-in over if its hash has changed since. Adds the credential.
//  2. lockout: counts a wrong password, and refuses even the right one once wrong ones have locked
//     the account. It comes before all that follows, so that a guess is counted whichever
//     workspace it named.
//  3. account: reads the account as a member of the workspace to enter, and refuses one that is
//     unknown, disabled or no member. A verified domain makes a member first. Adds both.
//  4. admission: refuses what maintenance or the sign-in rules of the workspace keep out.
//  5. risk: scores the attempt, or reads the score from before the second factor. Adds the
//     assessment, and notifies the owner.
//  6. flow: has flows decide, which read all of the above. Adds what they demand.
//  7. policy: adds the actions that the account, its policies, the door and flows require before
//     anything else.
//  8. factor: opens a challenge if a second factor is missing. The sign-in ends here, and starts
//     anew with the factor ([Service.Complete]); the challenge holds what it needs then.
//  9. arrival: links the upstream account of a provider. Nothing of it is stored before.
//  10. invitation: accepts the invitation that the person followed.
//  11. session: creates the session, as short as policies and flows demand. Adds it.
//  12. events: stores a refusal as a failed login, or records the success. For an account that was
//     created in the same unit of work, a refusal is an error instead, so that nothing is stored.
//
// # Another door
//
// It is a package beside this one that makes a Proof. What it alone brings to a session is a field
// of Proof, read by the stage that it matters to, or by a stage of its own: a connection of a
// company, say, is a Proof for one workspace that is whole if the connection is trusted with the
// second factor, and the stage session stores which connection it was. Nothing else changes.
//
// # Within a session
//
// Reauthentication (present.go), switching the workspace (switch.go), refreshing (continue.go,
// elsewhere.go) and tightened sign-in rules (rules.go) create no session. They apply the same
// rules as the stages do, by the same functions.
package login
