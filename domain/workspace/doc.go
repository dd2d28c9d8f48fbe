// Package workspace is the model of workspaces (called TEAM in commands) and their members
// (contract section 7). Every user has a personal workspace.
//
// # The aggregates around a workspace
//
// Each is stored under its own version, and refers to others by identifier. Invariants
// between two of them are ensured by one transaction that writes both, under a lock of the
// row named here.
//
//   - Workspace: name, slug, branding, default role, allowed login methods, and whether it
//     is suspended or deleted. A slug is unique on the instance, and reserved for 30 days
//     after it is given up. A deleted workspace is immediately inaccessible; its row is kept
//     until everything it owns has been deleted.
//   - Member: a person in a workspace, with roles and their expiry. It contains the names of
//     built-in roles, the identifiers of custom ones, and the identifiers of the person's
//     groups. At least one permanent owner has an enabled account: to remove an owner, a
//     transaction locks the workspace's row and counts the others.
//   - Role (domain/role): a custom role of a workspace, with permissions and inherited
//     roles, which form an acyclic graph. Group (domain/group): a set of members with roles.
//     A Book contains all of them in a workspace, at a version (workspaces.rights); the
//     permissions of a session are its grants, resolved with the Book of that version. So
//     changing a role writes one row, however many members have it.
//   - Invitation (domain/invitation): at most one pending for a workspace and an address.
//     Domain (domain/maildomain): an email domain, verified for one workspace at a time.
//   - Relation tuples: relations of subjects to the application's objects. They are deleted
//     with the users and groups they refer to.
//   - Job (domain/job): long-running work with its progress. Deleting a workspace starts one
//     that deletes what it owned.
//   - Session: acts in one workspace, the active one, stored in the session's row. When a
//     membership ends, the sessions active in the workspace are moved to the person's
//     personal workspace, in the same transaction.
//
// Everything that a workspace owns (apps, keys, webhooks, flows, products) refers to it by
// org_id, and is invisible outside of it.
package workspace
