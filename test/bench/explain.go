package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/wait"
)

// explain lets PostgreSQL log the plans of the service's own statements on a
// large store (auto_explain), and fails when one reads a growing table whole, or
// so many rows in vain that it comes to the same.
func explain(ctx context.Context, i *instance, r *report) error {
	db, err := i.db.open()
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{
		`ALTER DATABASE large SET session_preload_libraries = 'auto_explain'`,
		`ALTER DATABASE large SET auto_explain.log_min_duration = 0`,
		`ALTER DATABASE large SET auto_explain.log_analyze = on`,
		`ALTER DATABASE large SET auto_explain.log_timing = off`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	var data string
	if err := db.QueryRowContext(ctx, `SHOW data_directory`).Scan(&data); err != nil {
		return err
	}
	log := filepath.Join(filepath.Dir(data), "log")
	i.stop() // connections that were opened before do not explain
	if i.process, err = i.serve(ctx); err != nil {
		return err
	}
	all, err := probes(ctx, i)
	if err != nil {
		return err
	}
	// Also tables that the service itself filled just now are to have statistics.
	if _, err := db.ExecContext(ctx, `ANALYZE`); err != nil {
		return fmt.Errorf("gather statistics: %w", err)
	}
	var scans []string
	shown := map[string]bool{}
	for _, p := range all {
		plans, err := i.plans(ctx, log, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.printf("\nplans of %s, besides those above:\n", p.name)
		for _, plan := range plans {
			if !shown[plan] {
				r.printf("%s\n", plan)
			}
			shown[plan] = true
			if found := wasteful(plan); found != "" {
				scans = append(scans, p.name+": "+found)
			}
		}
	}
	r.printf("\nno growing table read whole or in vain: %s %s\n", r.verdict(len(scans) == 0), strings.Join(scans, "; "))
	if len(scans) > 0 {
		return fmt.Errorf("growing tables are read whole or in vain: %s", strings.Join(scans, "; "))
	}
	return nil
}

// wasteful finds a sequential scan of a table that grows, or a scan that throws
// most of what it reads away.
func wasteful(plan string) string {
	const most = 1000
	if scan := regexp.MustCompile(`Seq Scan on (users|credentials|workspaces|members|sessions|events|m2m_tokens|api_keys|api_key_secrets|licenses|license_keys|license_machines|oauth_grants|oauth_consents)\b`).FindString(plan); scan != "" {
		return scan
	}
	for _, removed := range regexp.MustCompile(`Rows Removed by [A-Za-z ]+: (\d+)`).FindAllStringSubmatch(plan, -1) {
		if n, err := strconv.Atoi(removed[1]); err != nil || n > most {
			return removed[0]
		}
	}
	return ""
}

// probe is a script whose statements are explained.
type probe struct {
	name   string
	script script
}

func probes(ctx context.Context, i *instance) ([]probe, error) {
	machines, err := machineProbes(ctx, i)
	return append(peopleProbes(i), machines...), err
}

// same sends a request again and again.
func same(request []byte) script { return &repeat{requests: [][]byte{request}, want: 200} }

func machineProbes(ctx context.Context, i *instance) ([]probe, error) {
	one := &contest{i: i, connections: 1}
	if err := errors.Join(i.mintKeys(ctx), bindTokens(ctx, one), licensed(ctx, one), delegate(ctx, one)); err != nil {
		return nil, err
	}
	proved, of := &proving{holder: i.holders[0]}, i.apps[0].id
	return []probe{
		{"M2M.TOKEN", same(post(nil, "", i.tokenBody(0)))},
		{"introspection", same(send(nil, introspectPath, `{"token":"`+i.tokens[0]+`"}`))},
		{"USER.ME by an API key", same(post(nil, i.keys[0], `{"command":"USER.ME"}`))},
		{"AUTH.WHOAMI by a bound token", proved},
		{"authorization and exchange of its code", authorizingAll(one)(0)},
		{"refresh of a grant", renewingAll(one)(0)},
		{"userinfo", informing(one)(0)},
		{"introspection of a person's token", inspectingPeople(one)(0)},
		{"LICENSE.VALIDATE", validating(one)(0)},
		{"LICENSE.VALIDATE of unknown keys", guessing(one)(0)},
		{"LICENSE.MACHINE_HEARTBEAT", beating(one)(0)},
		{"API_KEY.LIST", same(post(nil, i.sessions[0].access, `{"command":"API_KEY.LIST"}`))},
		asAdmin(i, "M2M.LIST", `{}`),
		asAdmin(i, "M2M.LIST", `{"active":true}`),
		asAdmin(i, "M2M.LIST", fmt.Sprintf(`{"app_id":%q}`, of)),
		asAdmin(i, "M2M.REVOKE", fmt.Sprintf(`{"jti":%q}`, i.storedTokens().token(1).JTI)),
		asAdmin(i, "APP.LIST", `{}`),
		asAdmin(i, "APP.GET", fmt.Sprintf(`{"app_id":%q}`, of)),
		asAdmin(i, "SYSTEM.PURGE_EXPIRED", `{}`),
	}, nil
}

// asAdmin is a call of the superadmin's.
func asAdmin(i *instance, name, params string) probe {
	return probe{name + " " + params, same(post(nil, i.admin, fmt.Sprintf(`{"command":%q,"params":%s}`, name, params)))}
}

func peopleProbes(i *instance) []probe {
	member, ip := i.people.user(i.people.users/2), i.people.ip(i.people.sessions/2)
	admin := func(name, params string) probe { return asAdmin(i, name, params) }
	return []probe{
		{"USER.ME", same(post(nil, i.sessions[0].access, `{"command":"USER.ME"}`))},
		{"AUTH.LOGIN", same(post(nil, "", loginBody(email(i.people.users/2))))},
		{"AUTH.REFRESH", &refreshing{sessions: i.sessions[:1]}},
		{"SESSION.LIST", same(post(nil, i.sessions[0].access, `{"command":"SESSION.LIST"}`))},
		{"USER.LIST of a member", same(post(nil, i.sessions[0].access, `{"command":"USER.LIST"}`))},
		admin("USER.LIST", `{}`),
		admin("USER.LIST", `{"query":"member 77"}`),
		admin("USER.LIST", `{"query":"nobody at all"}`),
		admin("SESSION.SEARCH", fmt.Sprintf(`{"user_id":%q}`, member)),
		admin("SESSION.SEARCH", fmt.Sprintf(`{"ip":%q}`, ip)),
		admin("AUDIT.SEARCH", `{}`),
		admin("AUDIT.SEARCH", fmt.Sprintf(`{"user_id":%q}`, member)),
		admin("AUDIT.SEARCH", fmt.Sprintf(`{"ip":%q}`, ip)),
		admin("AUDIT.SEARCH", `{"type":"login.failed"}`),
	}
}

// plans calls often enough that PostgreSQL keeps a plan, and returns the last
// plan of each statement.
func (i *instance) plans(ctx context.Context, log string, p probe) ([]string, error) {
	const calls = 14 // twice seven, since some scripts have two requests: from the sixth on, PostgreSQL may use a generic plan
	before, err := os.Stat(log)
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, i.address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for range calls {
		status, body, err := c.ask(p.script.next())
		if err == nil {
			err = p.script.heard(status, body)
		}
		if err != nil {
			return nil, err
		}
	}
	_ = wait.For(ctx, 50*time.Millisecond)
	words, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	return latest(string(words[before.Size():])), nil
}

// latest returns the last plan of each statement in a log.
func latest(log string) []string {
	var order []string
	plans := map[string]string{}
	for _, entry := range strings.Split(log, "duration: ")[1:] {
		_, text, found := strings.Cut(entry, "Query Text: ")
		if !found {
			continue
		}
		var lines []string
		for line := range strings.Lines(text) {
			if len(lines) > 0 && !strings.HasPrefix(line, "\t") {
				break
			}
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
		whole := strings.Join(lines, "\n")
		query, _, _ := strings.Cut(whole, "(cost=")
		if _, known := plans[query]; !known {
			order = append(order, query)
		}
		plans[query] = shortened(lines)
	}
	var last []string
	for _, query := range order {
		last = append(last, plans[query])
	}
	return last
}

// shortened leaves the plan's lines and the beginning of the statement.
func shortened(lines []string) string {
	const widest = 150
	var statement, plan []string
	for _, line := range lines {
		switch {
		case strings.Contains(line, "(cost="), strings.Contains(line, "Index Cond: "), strings.Contains(line, "Filter: "), strings.Contains(line, "Rows Removed"):
			plan = append(plan, "  "+strings.ReplaceAll(line, "\t", "    "))
		case plan == nil:
			statement = append(statement, strings.Fields(line)...)
		}
	}
	text := strings.Join(statement, " ")
	return "  " + text[:min(len(text), widest)] + "\n" + strings.Join(plan, "\n")
}
