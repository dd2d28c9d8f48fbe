package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"time"

	"go.jetify.com/typeid"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// memberPassword is what everybody in a filled store logs in by.
const memberPassword = "correct horse battery"

// population is how many people, sessions and M2M tokens a store is filled with, and how
// many members the workspace of many, how many licenses a vendor and how many grants
// applications get.
type population struct{ users, sessions, tokens, crowd, licenses, grants int }

// String returns the sizes.
func (p population) String() string {
	return fmt.Sprintf("%d users, %d sessions, %d M2M tokens, %d licenses, %d machines and %d grants",
		p.users, p.sessions, p.tokens, p.licenses, machinesOf*p.licenses, p.grants)
}

// people are a population whose every value follows from its number, so that
// any member of millions can log in and any session be refreshed without a list
// of them. Session j belongs to user j modulo the number of users.
type people struct {
	population

	// first is the number of the first of them.
	first int
	// hash is the password's; it has the default settings, and is everybody's.
	hash    string
	blinder outbound.Blinder
	// refreshKey is the service's own, derived from its secret.
	refreshKey mac.Key
	// now is when the population was made; it came into being one a millisecond.
	now time.Time
}

// drawn are bytes that were drawn before; they stand in for randomness.
type drawn []byte

// Bytes returns the first n of them.
func (d drawn) Bytes(n int) []byte { return d[:n] }

func digest(kind string, number int) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(kind), uint64(number)))
	return sum[:]
}

// when is the time at which one of a number of things came into being.
func (p *people) when(number, of int) time.Time {
	return p.now.Add(time.Duration(number-of) * time.Millisecond)
}

// uuid is a UUIDv7: the time and bits that follow from kind and number.
func (p *people) uuid(kind string, number, of int) [16]byte {
	var uuid [16]byte
	copy(uuid[6:], digest(kind, p.first+number))
	made := binary.BigEndian.AppendUint64(nil, uint64(p.when(number, of).UnixMilli())<<16)
	copy(uuid[:6], made)
	uuid[6] = uuid[6]&0x0f | 0x70 // version 7
	uuid[8] = uuid[8]&0x3f | 0x80 // the variant of RFC 9562
	return uuid
}

// id is a TypeID of such a UUID.
func (p *people) id(prefix string, number, of int) string {
	uuid := p.uuid(prefix, number, of)
	minted, err := typeid.FromUUIDBytesWithPrefix(prefix, uuid[:])
	if err != nil {
		panic(fmt.Sprintf("bench: mint an identifier: %v", err))
	}
	return minted.String()
}

func (p *people) user(i int) string    { return p.id("usr", i, p.users) }
func (p *people) org(i int) string     { return p.id("org", i, p.users) }
func (p *people) session(j int) string { return p.id("ses", j, p.sessions) }

func email(i int) string { return fmt.Sprintf("%x.member%d@bench.example", digest("email", i)[:2], i) }

// ip is the address of a session's login; about a hundred sessions share one.
func (p *people) ip(j int) string {
	d := digest("ip", j%max(1, p.sessions/100))
	return fmt.Sprintf("10.%d.%d.%d", d[0], d[1], d[2])
}

// refreshToken is the first refresh token of a session.
func (p *people) refreshToken(j int) string {
	made := token.Refresh{Key: p.refreshKey, Random: drawn(digest("refresh", p.first+j))}
	shown, _ := made.Make(session.ID(p.session(j)))
	return string(shown)
}

// table is the content of one table.
type table struct {
	name    string
	columns []string
	rows    iter.Seq[[]any]
}

// columns are names with spaces between them.
func columns(list string) []string { return strings.Fields(list) }

// each is a row for each of a number of things.
func each(n int, row func(i int) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range n {
			if !yield(row(i)) {
				return
			}
		}
	}
}

// Where tables has the ones that others need as well.
const (
	tableUsers    = 0
	tableSessions = 4
)

// tables give everything there is of a population, as migrations/ has it.
func (p *people) tables() []table {
	return []table{
		{"users", columns(`id email email_index email_folded email_verified display_name name_folded avatar locale
			timezone external_id external_index metadata superadmin status disabled_until disabled_why created_at
			updated_at last_login_at version`), each(p.users, p.userRow)},
		{"credentials", columns(`user_id hash set_at failures locked_until version`), each(p.users, p.credentialRow)},
		{"workspaces", columns(`id name personal_of created_at version`), each(p.users, p.workspaceRow)},
		{"members", columns(`org_id user_id grants joined_at version`), each(p.users, p.memberRow)},
		{"sessions", columns(`id user_id org_id created_at auth_time amr ip ip_index user_agent refresh previous
			rotated_at last_used_at idle_seconds expires_at ended_at end_reason purge_at version`), each(p.sessions, p.sessionRow)},
		{"events", columns(`id kind at outcome user_id org_id actor_kind actor_id session_id ip ip_index user_agent
			request_id command data`), each(p.users, p.eventRow)},
	}
}

func (p *people) userRow(i int) []any {
	address, name, made := email(p.first+i), fmt.Sprintf("Member %d", i), p.when(i, p.users)
	return []any{
		p.user(i), address, p.blinder.Index("email", address), address, true, name, strings.ToLower(name), "", "",
		"", "", nil, "", false, "active", nil, "", made,
		made, made, 1,
	}
}

func (p *people) credentialRow(i int) []any {
	return []any{p.user(i), p.hash, p.when(i, p.users), "", nil, 1}
}

func (p *people) workspaceRow(i int) []any {
	return []any{p.org(i), fmt.Sprintf("Member %d's workspace", i), p.user(i), p.when(i, p.users), 1}
}

func (p *people) memberRow(i int) []any {
	return []any{p.org(i), p.user(i), `[{"role":"owner"}]`, p.when(i, p.users), 1}
}

const (
	idle     = 30 * 24 * time.Hour
	absolute = 90 * 24 * time.Hour
)

func (p *people) sessionRow(j int) []any {
	i, began, ip := j%p.users, p.when(j, p.sessions), p.ip(j)
	sum := sha256.Sum256([]byte(p.refreshToken(j)))
	return []any{
		p.session(j), p.user(i), p.org(i), began, began, `["pwd"]`, ip, p.blinder.Index("ip", ip), userAgent,
		hex.EncodeToString(sum[:]), "", began, began, int64(idle / time.Second), began.Add(absolute), nil, "",
		began.Add(absolute), 1,
	}
}

// userAgent is that of an ordinary browser.
const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// eventRow is the login of each person.
func (p *people) eventRow(i int) []any {
	j := i % p.sessions
	ip := p.ip(j)
	return []any{
		p.id("evt", i, p.users), "login.succeeded", p.when(i, p.users), "success", p.user(i), "", "anonymous", "", "",
		ip, p.blinder.Index("ip", ip), userAgent, p.id("req", i, p.users), "AUTH.LOGIN",
		fmt.Sprintf(`{"user_id":%q,"amr":["pwd"]}`, p.user(i)),
	}
}
