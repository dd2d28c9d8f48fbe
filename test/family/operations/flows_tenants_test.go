package operations_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// slow is a compiler in which some expressions take until a test lets them go.
type slow struct {
	outbound.Expressions

	began, goOn chan struct{}
}

func (s slow) Compile(text string, over []outbound.Variable) (outbound.Expression, error) {
	if strings.Contains(text, "slow") {
		s.began <- struct{}{}
		<-s.goOn
	}
	return s.Expressions.Compile(text, over)
}

// While the flows of some workspaces are being compiled, in a plain call and in a dry run, all
// others sign in, by flows of their own that are compiled too, and write.
func TestSignInWaitsForNoOtherTenantsFlow(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		costly := slow{there.Engine.Flows.Compiler.Language, make(chan struct{}), make(chan struct{})}
		there.Engine.Flows.Compiler.Language = costly
		workspace := func(name, expression string) P {
			who := here.SignUp(name + "@example.com")
			graph := denying(expression)
			who.Do("FLOW.CREATE", with(graph, P{"name": name, "trigger": "login", "enabled": true, "force": true})).OK()
			return P{"email": name + "@example.com", "password": password}
		}
		first, second := workspace("first", "method == 'slow'"), workspace("second", "method != 'slower'")
		other := workspace("other", "method == 'code'")
		var busy sync.WaitGroup
		busy.Go(func() { there.Anonymous().Do("AUTH.LOGIN", first).OK() })
		busy.Go(func() { there.Anonymous().DryRun().Do("AUTH.LOGIN", second).Fails(fault.FlowBlocked) })
		<-costly.began
		<-costly.began
		there.Anonymous().Do("AUTH.LOGIN", other).OK().String("access_token")
		there.Anonymous().DryRun().Do("AUTH.LOGIN", other).OK()
		nobody := there.SignUp("nobody@example.com")
		nobody.Do("USER.UPDATE", P{"display_name": "Nobody"}).OK()
		close(costly.goOn)
		busy.Wait()
		there.Anonymous().Do("AUTH.LOGIN", second).Fails(fault.FlowBlocked)
	})
}

// The expression of the issue in 50 conditions, of which each took seconds of a processor to check.
func TestExpensiveExpressionsAreRefused(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	attack := "[1]" + strings.Repeat(".map(a,[[[[[[a]]]]]])", 46) + " == []"
	nodes, edges := []P{{"id": "start", "type": "start"}}, []P{}
	for i := range 50 {
		id := fmt.Sprint("n", i)
		edges = append(edges, P{"from": nodes[i]["id"], "to": id, "when": map[bool]string{true: "default", false: "true"}[i == 0]})
		nodes = append(nodes, P{"id": id, "type": "condition", "config": P{"expression": attack}})
	}
	const wrong = "the expression has 46 loops"
	found := alice.Do("FLOW.VALIDATE", P{"trigger": "login", "nodes": nodes, "edges": edges}).OK()
	problems := found.List("problems")
	if found.Data["valid"] != false || len(problems) != 50 || !strings.HasPrefix(problems[0]["message"].(string), wrong) {
		t.Errorf("FLOW.VALIDATE finds %d problems, such as %v", len(problems), problems[:1])
	}
	graph := P{"nodes": nodes, "edges": edges}
	app := alice.Do("APP.REGISTER", P{"name": "App", "slug": "app", "description": "", "redirect_urls": []string{}}).OK().String("app.id")
	for name, params := range map[string]P{
		"FLOW.TEST":      with(graph, P{"trigger": "login", "context": P{}}),
		"FLOW.CREATE":    with(graph, P{"trigger": "login", "name": "attack"}),
		"APP.SET_CLAIMS": {"app_id": app, "claims": P{"attack": attack}},
		"FEATURE.CREATE": {"key": "attack", "type": "bool", "default": false, "rules": []P{{"when": attack, "value": true}}},
		"RELATION.MODEL_SET": {"model": "model\n  schema 1.1\ntype user\ntype doc\n  relations\n    define viewer: [user with attack]\n" +
			"condition attack(x: string) {\n  " + attack + "\n}\n"},
	} {
		refused := alice.Do(name, params).Fails(fault.Validation).Failure
		if len(refused.Fields) == 0 || !strings.Contains(refused.Fields[0].Message, wrong) {
			t.Errorf("%s: %+v", name, refused)
		}
	}
}
