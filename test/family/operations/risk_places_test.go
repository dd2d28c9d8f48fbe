package operations_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// cities makes a MaxMind file in which 10.0.0.0/16 is in Berlin and 10.9.0.0/16 in Sydney.
func cities(t *testing.T) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for cidr, at := range map[string]struct {
		country             string
		latitude, longitude float64
	}{"10.0.0.0/16": {"DE", 52.5, 13.4}, "10.9.0.0/16": {"AU", -33.9, 151.2}} {
		_, network, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		err = tree.Insert(network, mmdbtype.Map{
			"country":                  mmdbtype.Map{"iso_code": mmdbtype.String(at.country)},
			"location":                 mmdbtype.Map{"latitude": mmdbtype.Float64(at.latitude), "longitude": mmdbtype.Float64(at.longitude)},
			"autonomous_system_number": mmdbtype.Uint32(64500),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "cities.mmdb"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// With a file, a login from another country is told, and one that nobody can have traveled
// to; flows read where the address is.
func TestPlaces(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database, "GEOIP_DB="+cities(t))
		alice := known(h)
		h.Clock.Advance(5 * time.Minute)
		riskEnter(h, abroad, firefox).OK().String("access_token")
		got := assessments(alice, nil)
		if len(got) != 1 || riskNames(got[0]) != "new_range, new_country, impossible_travel" || got[0]["level"] != "high" {
			t.Fatalf("assessed %v", got)
		}
		if detail := got[0]["signals"].([]any)[2].(P)["detail"].(string); !strings.Contains(detail, "km in 5 minutes") {
			t.Errorf("told of %s", detail)
		}
		root := h.Superadmin()
		nodes := []P{
			{"id": "start", "type": "start"},
			{"id": "where", "type": "condition", "config": P{"expression": `has(ip.country) && ip.country == "AU" && ip.asn == 64500`}},
			{"id": "no", "type": "deny", "config": P{"reason": "Not from there."}},
		}
		edges := []P{{"from": "start", "to": "where"}, {"from": "where", "to": "no", "when": "true"}}
		root.Do("FLOW.CREATE", P{"name": "at-home", "trigger": "login", "scope": "instance", "nodes": nodes, "edges": edges}).OK()
		root.Do("FLOW.ENABLE", P{"name": "at-home", "scope": "instance", "force": true}).OK()
		riskEnter(h, abroad, firefox).Fails(fault.FlowBlocked)
		riskEnter(h, home, firefox).OK().String("access_token")
	})
}

// A flow reads the score of the attempt, and what happened on the account lately; what it
// denies is kept all the same.
func TestFlowsReadTheScore(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, root := known(h), h.Superadmin()
		guess(h, email, 1)
		nodes := []P{
			{"id": "start", "type": "start"},
			{"id": "risky", "type": "condition", "config": P{"expression": `risk.score == 35 && risk.level == "medium" && "new_range" in risk.signals && history.failures_1h == 1 && history.logins_24h == 1 && history.distinct_ips_24h == 1`}},
			{"id": "no", "type": "deny", "config": P{"reason": "Too risky."}},
		}
		edges := []P{{"from": "start", "to": "risky"}, {"from": "risky", "to": "no", "when": "true"}}
		root.Do("FLOW.CREATE", P{"name": "risky", "trigger": "login", "scope": "instance", "nodes": nodes, "edges": edges}).OK()
		root.Do("FLOW.ENABLE", P{"name": "risky", "scope": "instance", "force": true}).OK()
		riskEnter(h, abroad, chrome).Fails(fault.FlowBlocked)
		if got := assessments(alice, nil); len(got) != 1 || got[0]["session_id"] != nil {
			t.Errorf("kept %v", got)
		}
		riskEnter(h, home, firefox).OK().String("access_token")
	})
}
