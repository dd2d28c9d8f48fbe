// Package liveness holds the rules by which a credential is live, and what each door asks of them.
//
// A credential is a session, an API key, an M2M token, a grant (an access token that acts for a
// person) or a client. The facts about one are a struct, such as Token, and its Failing returns
// every Reason against it at a moment. A door is a place that lets a credential pass: it never
// compares facts, but looks for a named subset of the reasons.
//
//	door                                subset                       why not all
//
//	admission of a call                 SessionHolds, KeyHolds,      a suspension has a refusal of its own, and leaves
//	                                    GrantHolds, any of a token   people what is not in the workspace
//	authentication of a client          ClientHolds                  as above
//	introspection, API_KEY.VERIFY,      any                          others ask whether it can be used now
//	token exchange, sign-in by an app
//	AUTH.REFRESH                        SessionRotates               session.Rotate judges the session: a reused
//	                                                                 token ends it, an ended one does not
//	redeeming and refreshing a grant    GrantRedeems                 oauth.Grant judges its own state, likewise
//	answer to a repeated call that      SessionRotates               the call itself ended the session
//	ended its own session
//	a unit of work                      SessionStands, KeyStands,    see below
//	(outbound.ActingCredential)         TokenStands, GrantStands
//	a new grant                         SessionStands                the call that makes it was admitted
//	a new M2M token                     TokenIssues                  the version of its app stands for the rest
//	lists of active sessions            SessionLists                 accounts that are disabled have no sessions
//	lists of active grants              GrantLists                   they show what a person agreed to
//	lists of active M2M tokens          any
//
// # Decision: a unit of work asks only for what somebody ended
//
// Context: a call was admitted, with everything that is read for that, a moment before its unit
// of work. What ends meanwhile must store nothing (outbound.ActingCredential), at the price of one row that
// is locked.
//
// Choice: what it looks at again is what somebody does to the credential. It does not look at
// time, which a call may outlive by a moment, except for a key, whose expiry can be set to an
// earlier moment. It does not look at accounts either, for to disable one ends all that it has;
// but it looks at the owner of an app, whose tokens only rest meanwhile. A suspension, a lost
// membership and a moved audience refuse the next call.
//
// What would change our mind: one of these that has to stop what is already under way.
//
// # Decision: the reasons are one set, and SQL is made of them
//
// Context: the rules stood in Go and, for doors that must be one statement, again in SQL. Each
// copy asked for something else, and nothing told which of that was meant.
//
// Choice: a door in SQL names the same subset, and its condition is composed of one fragment for
// each reason in it (adapters/sqlstore/live). A test compares both, for every subset and every
// reason that SQL knows, over all combinations of the facts.
//
// What would change our mind: a reason that SQL cannot tell from columns.
//
// # What is no reason
//
// Maintenance stops commands, not credentials: a token stays live, as introspection says, while
// the instance answers nothing else (maintenance.State). A policy is content that SQL never looks
// into: of an impersonation, package account asks in addition whether the person's session policy
// forbids it (impersonation.Standing.Forbidden). Networks of an API key, the place that a session
// visits, and scopes limit what a credential may do, not whether it is live. Lists by the status
// of an aggregate, such as apikey.Status, show what is stored, not what is live.
package liveness
