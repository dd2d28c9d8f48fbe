package plan

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/flow/order"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Compiler compiles graphs.
type Compiler struct {
	Expressions *expressions.Compiler
	// Language compiles single expressions.
	Language outbound.Expressions
	// Guard refuses addresses that webhook_check could never reach.
	Guard outbound.AddressGuard
}

// Plan is a compiled graph. It never changes.
type Plan struct {
	trigger flow.Trigger
	start   int
	steps   []step
	size    int
	// Order are the nodes in topological order.
	Order []int
	// Warnings are probable mistakes.
	Warnings []fault.Field
}

// step is a compiled node.
type step struct {
	id    string
	act   act
	ends  bool
	needs []string
	// late reports whether it waits until the account is known.
	late bool
	next map[string]int
}

// Trigger returns the trigger of the plan.
func (p *Plan) Trigger() flow.Trigger { return p.trigger }

// Size returns the approximate memory size, in bytes.
func (p *Plan) Size() int { return p.size }

// Needs reports whether any node reads a part of the context, such as risk, or a field of
// one, such as user.groups.
func (p *Plan) Needs(name string) bool {
	return slices.ContainsFunc(p.steps, func(s step) bool {
		return slices.ContainsFunc(s.needs, func(read string) bool {
			return read == name || read == everything || strings.HasPrefix(read, name+".") || strings.HasPrefix(name, read+".")
		})
	})
}

// everything is the need of a node that reads the whole context.
const everything = "*"

// Sources returns the expressions of a graph.
func (c Compiler) Sources(t flow.Trigger, g flow.Graph) []expressions.Source {
	var all []expressions.Source
	language := c.dialect(t)
	for _, n := range g.Nodes[:min(len(g.Nodes), flow.MaxNodes)] {
		if text, is := n.Config[expressionKey].(string); is {
			all = append(all, expressions.Source{Dialect: language, Text: text})
		}
	}
	return all
}

// expressionKey is where the configuration of nodes has an expression.
const expressionKey = "expression"

func (c Compiler) dialect(t flow.Trigger) expressions.Dialect {
	return expressions.NewDialect("flow", c.Language, variables(t))
}

// perNode is about what a node holds beside its expression, in bytes.
const perNode = 512

// Compile judges a graph of a workspace, or of the instance if org is empty, for a trigger. It
// returns all that is wrong with it at once, by pointers into the graph. It must not be called
// inside a unit of work, and fails with the context.
func (c Compiler) Compile(ctx context.Context, org workspace.ID, t flow.Trigger, g flow.Graph) (*Plan, []fault.Field, error) {
	found := g.Shape()
	if len(g.Nodes) > flow.MaxNodes {
		return nil, found, nil
	}
	kinds, p := Kinds(), &Plan{trigger: t, steps: make([]step, len(g.Nodes)), size: perNode * len(g.Nodes)}
	place, language := map[string]int{}, c.dialect(t)
	compile := func(source string) (outbound.Expression, error) {
		return c.Expressions.Compile(ctx, org, expressions.Source{Dialect: language, Text: source})
	}
	for i, n := range g.Nodes {
		b := &builder{Compiler: c, compile: compile, trigger: t, path: []string{"nodes", strconv.Itoa(i)}}
		p.steps[i] = b.node(kinds, n)
		if b.failed != nil {
			return nil, nil, b.failed
		}
		p.size += b.size
		found, p.Warnings = append(found, b.found...), append(p.Warnings, b.warned...)
		if place[n.ID] = i; n.Type == flow.Start {
			p.start = i
		}
	}
	found = append(found, outputs(kinds, g, place)...)
	var edges [][2]int
	for _, e := range g.Edges {
		from, known := place[e.From]
		to, reached := place[e.To]
		if known && reached {
			edges = append(edges, [2]int{from, to})
			p.steps[from].next[e.Output()] = to
		}
	}
	sorted, cycles := order.Sort(len(g.Nodes), edges)
	for _, cycle := range cycles {
		found = append(found, fault.Field{Path: "/edges", Message: "must not form a cycle: " + named(g, cycle)})
	}
	if len(found) > 0 {
		return nil, arranged(found), nil
	}
	p.Order = sorted
	return p, nil, nil
}

// arranged puts complaints in the order of their paths, each once.
func arranged(found []fault.Field) []fault.Field {
	slices.SortStableFunc(found, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(found)
}

func named(g flow.Graph, cycle []int) string {
	var names []string
	for _, i := range cycle {
		names = append(names, g.Nodes[i].ID)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// outputs returns errors of edges whose output their node does not have.
func outputs(kinds []Kind, g flow.Graph, place map[string]int) []fault.Field {
	var found []fault.Field
	for i, e := range g.Edges {
		at, known := place[e.From]
		if !known {
			continue
		}
		kind, known := kindNamed(kinds, g.Nodes[at].Type)
		switch {
		case !known || kind.Values || slices.Contains(kind.Outputs, e.Output()):
		case kind.Outputs == nil:
			found = append(found, complaint("must not be a node that ends the flow", "edges", strconv.Itoa(i), "from"))
		default:
			found = append(found, complaint("is not an output of the node type "+kind.Type+": use "+strings.Join(kind.Outputs, ", "),
				"edges", strconv.Itoa(i), "when"))
		}
	}
	return found
}

func complaint(message string, path ...string) fault.Field {
	return fault.Field{Path: fault.Pointer(path...), Message: message}
}

// builder compiles one node.
type builder struct {
	Compiler

	// compile compiles an expression; failed is its error unless that is a mistake in it.
	compile func(source string) (outbound.Expression, error)
	failed  error
	size    int
	trigger flow.Trigger
	path    []string
	needs   []string
	late    bool
	found   []fault.Field
	warned  []fault.Field
}

func (b *builder) complain(message string, inside ...string) {
	b.found = append(b.found, complaint(message, slices.Concat(b.path, inside)...))
}

// adopt takes complaints about a configuration over.
func (b *builder) adopt(found []fault.Field) {
	for _, f := range found {
		b.found = append(b.found, fault.Field{Path: fault.Pointer(b.path...) + "/config" + f.Path, Message: f.Message})
	}
}

// reads records which parts of the context the node reads.
func (b *builder) reads(names ...string) {
	for _, name := range names {
		root, _, _ := strings.Cut(name, ".")
		b.needs = append(b.needs, name)
		b.late = b.late || !isEarly(root)
		if !slices.ContainsFunc(partsOf(b.trigger), func(p part) bool { return p.name == root }) && name != everything {
			b.complain("reads "+root+", which is not in the context of the trigger "+string(b.trigger), "type")
		}
	}
}

func (b *builder) node(kinds []Kind, n flow.Node) step {
	made := step{id: n.ID, next: map[string]int{}}
	kind, known := kindNamed(kinds, n.Type)
	if !known {
		b.complain("is not a known node type: list node types with FLOW.NODE_TYPE_LIST", "type")
		return made
	}
	config := n.Config
	if config == nil {
		config = flow.Config{}
	}
	raw, err := json.Marshal(config)
	if err != nil {
		b.complain("cannot be encoded as JSON", "config")
		return made
	}
	made.act = kind.build(b, raw)
	made.ends, made.needs, made.late = kind.Outputs == nil, b.needs, b.late
	return made
}

// expression compiles the expression of the configuration.
func (b *builder) expression(source string, fits func(outbound.Expression) bool, must string) outbound.Expression {
	made, err := b.compile(source)
	wrong, mistaken := errors.AsType[*outbound.ExpressionError](err)
	switch {
	case mistaken:
		b.complain(wrong.Said(), "config", expressionKey)
	case err != nil:
		b.failed = err
	case fits != nil && !fits(made):
		b.complain(must, "config", expressionKey)
	default:
		b.size += made.Size()
		read := made.Reads()
		b.reads(read...)
		if slices.Contains(read, "ip.country") || slices.Contains(read, "ip.asn") {
			b.warned = append(b.warned, complaint("reads a field that is absent without a GeoIP file: check it with has()", slices.Concat(b.path, []string{"config", expressionKey})...))
		}
	}
	return made
}
