package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
)

// What a workspace of many has beside its members, and how many of those are signed in.
const (
	crowdRoles    = 200
	crowdGroups   = 1000
	crowdSessions = 64
	// crowdFirst is the number of its first member, past those of everybody else.
	crowdFirst = 1 << 30
	// memberOf is how many groups each member is in.
	memberOf = 3
)

// crowd is a workspace with many members, of whom some are signed in to it.
type crowd struct {
	people

	sessions []*held
}

// gather fills the workspace, once.
func gather(ctx context.Context, c *contest) error {
	i := c.i
	if i.crowd != nil {
		return nil
	}
	made := &crowd{people: *i.people}
	made.population, made.first = population{users: i.people.crowd, sessions: crowdSessions}, crowdFirst
	err := i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		return into.all(ctx, made.workspace())
	})
	if err == nil {
		i.crowd = made
		made.sessions, err = i.refreshed(ctx, &made.people, rand.Perm(crowdSessions))
	}
	return err
}

func (c *crowd) home() string       { return c.id("org", crowdFirst, 1) }
func (c *crowd) role(k int) string  { return c.id("rol", k%crowdRoles, crowdRoles) }
func (c *crowd) group(k int) string { return c.id("grp", k%crowdGroups, crowdGroups) }

// groupsOf are those of a member, each of another part of them all.
func (c *crowd) groupsOf(i int) []string {
	groups := make([]string, memberOf)
	for k := range groups {
		groups[k] = c.group(i*memberOf + k*(crowdGroups/memberOf))
	}
	return groups
}

// workspace is what the store has of it.
func (c *crowd) workspace() []table {
	one := func(row []any) iter.Seq[[]any] { return each(1, func(int) []any { return row }) }
	of, home, made := c.tables(), c.home(), c.when(0, 1)
	members := func(row func(i int) []any) iter.Seq[[]any] { return each(c.users, row) }
	return []table{
		of[tableUsers],
		{"workspaces", columns(`id name created_at version rights`), one([]any{home, "Crowd", made, 1, 1})},
		{"own_permissions", columns(`org_id name description created_at version`), each(crowdRoles, func(k int) []any {
			return []any{home, fmt.Sprintf("docs%d:read", k), "", made, 1}
		})},
		{"roles", columns(`id org_id name name_folded description permissions inherits created_at updated_at version`), each(crowdRoles, func(k int) []any {
			name, permissions := fmt.Sprintf("role %d", k), fmt.Sprintf(`["docs%d:read","docs%d:read","permissions:read"]`, k, (k+1)%crowdRoles)
			return []any{c.role(k), home, name, name, "", permissions, `["member"]`, made, made, 1}
		})},
		{"member_groups", columns(`id org_id name name_folded description external_id roles created_at updated_at version`), each(crowdGroups, func(k int) []any {
			name := fmt.Sprintf("group %d", k)
			return []any{c.group(k), home, name, name, "", "", quoted(c.role(k)), made, made, 1}
		})},
		{"members", columns(`org_id user_id grants joined_at version groups`), members(func(i int) []any {
			return []any{home, c.user(i), fmt.Sprintf(`[{"role":%q}]`, c.role(i)), c.when(i, c.users), 1, quoted(c.groupsOf(i)...)}
		})},
		{"member_roles", columns(`org_id role user_id`), members(func(i int) []any { return []any{home, c.role(i), c.user(i)} })},
		{"group_members", columns(`group_id org_id user_id added_at`), each(memberOf*c.users, func(n int) []any {
			i := n / memberOf
			return []any{c.groupsOf(i)[n%memberOf], home, c.user(i), c.when(i, c.users)}
		})},
		{of[tableSessions].name, of[tableSessions].columns, each(crowdSessions, func(j int) []any {
			row := c.sessionRow(j)
			row[2] = home
			return row
		})},
	}
}

// quoted is a JSON list.
func quoted(texts ...string) string {
	list, _ := json.Marshal(texts) // of texts it never fails
	return string(list)
}

// paging has members turn to pages all over the list.
func paging(c *contest) func(int) script {
	cursors := page.Cursors{Key: mac.New(cipher.Derive([]byte(c.i.workshop.secret), label.PageCursors, 32))}
	same := func(id string) string { return id }
	list := cursors.List("TEAM.LIST_MEMBERS|"+c.i.crowd.home()+"||", page.Params{Limit: 1})
	return c.i.crowd.each(c, func(n int) string {
		at := c.i.crowd.user(n)
		cut := page.Cut(list, []string{at, at}, same, same)
		return fmt.Sprintf(`{"command":"TEAM.LIST_MEMBERS","params":{"cursor":%q}}`, *cut.NextCursor)
	})
}

// permitted has members ask what others may do, by a role of theirs or one of a group.
func permitted(c *contest) func(int) script {
	return c.i.crowd.each(c, func(n int) string {
		return fmt.Sprintf(`{"command":"PERMISSION.CHECK","params":{"user_id":%q,"resource":"docs%d/42","action":"read"}}`,
			c.i.crowd.user(n), n*memberOf%crowdRoles)
	})
}

// each has the members who are signed in ask about members all over the workspace.
func (c *crowd) each(of *contest, body func(member int) string) func(int) script {
	const questions = 200
	return func(connection int) script {
		s := &repeat{want: 200}
		asking := share(c.sessions, connection%crowdSessions, of.connections)
		for n := range questions {
			member := (connection*7919 + n*104_729) % c.users
			s.requests = append(s.requests, post(nil, asking[n%len(asking)].access, body(member)))
		}
		return s
	}
}
