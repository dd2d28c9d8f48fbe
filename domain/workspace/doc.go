// Package workspace holds workspaces (a TEAM is a workspace) and who belongs to
// them with which roles (contract section 7). Every user has a personal one.
//
// # The aggregates around a workspace
//
// Each is stored by itself, under its own version, and refers to the others by their
// identifiers. What must hold between two of them holds because one transaction
// writes both, under a lock of the row that is named here.
//
//   - Workspace: name, slug, look, default role, allowed ways to sign in, and whether it
//     is suspended or deleted. A slug is unique on the instance, and reserved for 30 days
//     once it is given up. A deleted workspace is absent for everybody at once; its row
//     stays until what it owns has been removed.
//   - Member: one person in one workspace, with the roles that were granted and until
//     when. It names built-in roles by their names, own roles by their identifiers, and
//     carries the identifiers of the person's groups. At least one owner for good is an
//     enabled account: who takes one away locks the workspace's row and counts the others.
//   - Role (domain/role): an own role of a workspace, with permissions, own permissions
//     and inherited roles, which make a graph without cycles. Group (domain/group): a set
//     of members with roles. A Book is all of them in one workspace, as of a count of
//     their changes (workspaces.rights); a session's rights are its grants, read in the
//     Book of that count. So a changed role is one row, however many people hold it.
//   - Invitation (domain/invitation): one pending for a workspace and an address. Domain
//     (domain/maildomain): an e-mail domain, verified for one workspace at a time.
//   - Relation tuples: objects of the application and who is related to them. They follow
//     users and groups, and are deleted with them.
//   - Job (domain/job): long work with its progress. Deleting a workspace leaves what it
//     owned to one.
//   - Session: acts in one workspace, its active one, which is in the session's row. What
//     takes a membership away moves the sessions that are active there to the person's
//     personal workspace, in the same transaction.
//
// All that a workspace owns (apps, keys, hooks, flows, products) names it by org_id, and
// does not exist for anybody outside it.
package workspace
