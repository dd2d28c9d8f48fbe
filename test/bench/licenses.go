package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/license"
)

const (
	// machinesOf is how many machines each license has, heartbeatMinutes after how long a
	// silent one lapses.
	machinesOf       = 4
	heartbeatMinutes = 60
	// sampledLicenses is how many licenses are asked about, from all over the store.
	sampledLicenses = 1000
	// flagCount is how many features are decided at once.
	flagCount = 500
	// usualLicenses is how many there are in a plain run, and in the two stores of -growth.
	usualLicenses, smallLicenses, largeLicenses = 10_000, 1000, 5_000_000
	// issuedTerms are those of every license.
	issuedTerms = `{"duration_days":0,"starts":"issue","seats":0,"max_machines":4,"machine_bound":true,"floating":false,"offline_days":0,` +
		`"heartbeat_minutes":60,"features":{"export.pdf":true},"on_expiry":"deny","grace_days":0,"transfers_per_year":12,"overage":"none"}`
)

// vendor is the superadmin's workspace as one that sells software.
type vendor struct {
	*people

	org, product, policy string
	licenses             int
}

func (v *vendor) license(i int) string { return v.id("lic", i, v.licenses) }

// key is that of a license, in its canonical form.
func (v *vendor) key(i int) string {
	canonical, _ := license.ReadKey(string(license.NewKey(drawn(digest("key", i)))))
	return canonical
}

func machineName(i, k int) string { return fmt.Sprintf("machine %d of %d", k, i) }

// licensed fills the superadmin's workspace with licenses and their machines, once.
func licensed(ctx context.Context, c *contest) error {
	i := c.i
	if i.vendor != nil {
		return nil
	}
	v := &vendor{people: i.people, org: i.org, licenses: i.people.licenses}
	on, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer on.close()
	for _, one := range []struct {
		into            *string
		command, params string
	}{
		{&v.product, "PRODUCT.CREATE", `{"name":"Bench","slug":"bench"}`},
		{&v.policy, "LICENSE.POLICY_CREATE", `{"name":"Bench","max_machines":4,"machine_bound":true,"heartbeat_minutes":60,"features":{"export.pdf":true}}`},
	} {
		body, err := demand(on, post(nil, i.admin, fmt.Sprintf(`{"command":%q,"params":%s}`, one.command, one.params)))
		if err == nil {
			*one.into, err = field(body, "id")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.command, err)
		}
	}
	err = i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		return into.all(ctx, v.tables())
	})
	if err == nil {
		i.vendor = v
	}
	return err
}

// tables are what the store has of licenses.
func (v *vendor) tables() []table {
	columns := strings.Fields
	index := v.blinder.Index
	lapses := v.now.Add(24 * time.Hour)
	return []table{
		{
			"licenses", columns(`id org_id product_id policy_id terms overrides status reason activated_at metadata created_at updated_at version`),
			each(v.licenses, func(i int) []any {
				made := v.when(i, v.licenses)
				return []any{v.license(i), v.org, v.product, v.policy, issuedTerms, "", "active", "", made, "", made, made, 1}
			}),
		},
		{"license_keys", columns(`digest license_id key`), each(v.licenses, func(i int) []any {
			return []any{index("license key", v.key(i)), v.license(i), ""}
		})},
		{
			"license_machines", columns(`id license_id digest fingerprint name platform metadata activated_at beat_at lapses_at version`),
			each(machinesOf*v.licenses, func(n int) []any {
				i, k, made := n/machinesOf, n%machinesOf, v.when(n, machinesOf*v.licenses)
				name := machineName(i, k)
				return []any{v.id("mch", n, machinesOf*v.licenses), v.license(i), index("license machine", name), name, "", "", "", made, made, lapses, 1}
			}),
		},
	}
}

// sampled are licenses from all over the store.
func (v *vendor) sampled() []int {
	draw := rand.New(rand.NewPCG(3, 4))
	chosen := make([]int, sampledLicenses)
	for k := range chosen {
		chosen[k] = draw.IntN(v.licenses)
	}
	return chosen
}

// byKey asks by the keys of sampled licenses, each from one of its machines.
func byKey(c *contest, command string, of func(v *vendor, i int) string) func(int) script {
	v := c.i.vendor
	var requests [][]byte
	for n, i := range v.sampled() {
		requests = append(requests, post(nil, "", fmt.Sprintf(`{"command":%q,"params":{"key":%q,"machine":%q}}`, command, of(v, i), machineName(i, n%machinesOf))))
	}
	return func(connection int) script { return &repeat{requests: requests, want: 200, at: 31 * connection} }
}

// sight has each sampled license validated. That it was seen is written down once a minute: a
// short measurement is not to be made of first ones.
func sight(ctx context.Context, c *contest) error {
	if err := licensed(ctx, c); err != nil {
		return err
	}
	first := validating(c)(0)
	requests := make([][]byte, sampledLicenses)
	for k := range requests {
		requests[k] = first.next()
	}
	return c.i.together(ctx, len(requests), func(on *conversation, k int) error {
		_, err := demand(on, requests[k])
		return err
	})
}

func validating(c *contest) func(int) script { return byKey(c, "LICENSE.VALIDATE", (*vendor).key) }

// guessing validates keys that have the form of one and were never handed out.
func guessing(c *contest) func(int) script {
	return byKey(c, "LICENSE.VALIDATE", func(v *vendor, i int) string { return v.key(v.licenses + i) })
}

func beating(c *contest) func(int) script {
	return byKey(c, "LICENSE.MACHINE_HEARTBEAT", (*vendor).key)
}

// define makes features, each with a condition of its own, once.
func define(ctx context.Context, c *contest) error {
	i := c.i
	if i.flagged {
		return nil
	}
	err := i.together(ctx, flagCount, func(on *conversation, k int) error {
		_, err := demand(on, post(nil, i.admin, fmt.Sprintf(
			`{"command":"FEATURE.CREATE","params":{"key":"bench.f%d","type":"bool","default":false,"rules":[{"when":"attributes.plan == 'pro' && attributes.build > %d","value":true}]}}`, k, k)))
		return err
	})
	i.flagged = err == nil
	return err
}

func deciding(c *contest) func(int) script {
	request := post(nil, c.i.admin, `{"command":"FEATURE.EVALUATE","params":{"attributes":{"plan":"pro","build":250}}}`)
	return func(int) script { return &repeat{requests: [][]byte{request}, want: 200} }
}

// benchPolicy changes the policy of all licenses while they are validated, and returns how long
// that took, and what the validations did meanwhile.
func benchPolicy(ctx context.Context, i *instance, o options, r *report) error {
	c := &contest{i: i, scenario: scenario{scripts: validating}, connections: o.growthConnections, options: o}
	if err := licensed(ctx, c); err != nil {
		return err
	}
	on, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer on.close()
	began := time.Now()
	body, err := demand(on, post(nil, i.admin, fmt.Sprintf(
		`{"command":"LICENSE.POLICY_UPDATE","params":{"policy_id":%q,"apply_to_existing":true,"changes":{"max_machines":%d}}}`, i.vendor.policy, machinesOf+1)))
	if err != nil {
		return fmt.Errorf("change the policy: %w", err)
	}
	id, err := field(body, "job_id")
	if err != nil {
		return err
	}
	var meanwhile []sample
	for {
		got, err := c.served().measure(ctx)
		if err != nil {
			return err
		}
		meanwhile = append(meanwhile, got)
		body, err := demand(on, post(nil, i.admin, fmt.Sprintf(`{"command":"JOB.GET","params":{"job_id":%q}}`, id)))
		if err != nil {
			return err
		}
		var answer struct {
			Data struct {
				Job struct {
					Status string `json:"status"`
					Done   int    `json:"done"`
				} `json:"job"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return fmt.Errorf("read the job: %w", err)
		}
		if job := answer.Data.Job; job.Status != "queued" && job.Status != "running" {
			all := merge(meanwhile)
			r.printf("\n%s: a policy changed for %d licenses (%s) in %s; meanwhile %.0f validations/s, p50 %s, p99 %s, none failed\n",
				i.db.store, job.Done, job.Status, time.Since(began).Round(time.Second), all.rate, millis(all.p50), millis(all.p99))
			return nil
		}
	}
}

// updateOne counts one of a thousand rows on: what a sign of life cannot do without.
func (d *database) updateOne() string {
	return `UPDATE bare_counts SET n = n + 1 WHERE id = ` + d.placeholder(1)
}

// bareCounts are how many rows there are to count.
const bareCounts = 1000

// fillCounts makes those rows.
func (d *database) fillCounts(ctx context.Context, db *sql.DB) error {
	values := make([]string, bareCounts)
	for n := range values {
		values[n] = "(" + strconv.Itoa(n) + ", 0)"
	}
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS bare_counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)`, `DELETE FROM bare_counts`,
		`INSERT INTO bare_counts (id, n) VALUES ` + strings.Join(values, ", "),
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
