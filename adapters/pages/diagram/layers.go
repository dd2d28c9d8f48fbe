package diagram

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatehouse.internal/domain/flow"
)

// slot is a place in a layer: of a node, or of an edge that passes.
type slot struct {
	// node is the index of the node; -1: an edge passes.
	node, layer int
	// x is the middle, order the place among those of the layer.
	x     int
	order float64
	// above and below are what it is joined to in the layers beside.
	above, below []*slot
}

func (s *slot) width() int {
	if s.node < 0 {
		return bendWidth
	}
	return boxWidth
}

// chain is an edge with the slots that it goes through.
type chain struct {
	edge  flow.Edge
	slots []*slot
}

// layout is where everything stands.
type layout struct {
	layers [][]*slot
	// places are those of the nodes, in the order of the graph.
	places []*slot
	chains []chain
}

// arrange places nodes in layers, and orders these so that few edges cross.
func arrange(g flow.Graph) *layout {
	l := &layout{}
	at := map[string]int{}
	for i, n := range g.Nodes {
		at[n.ID] = i
	}
	for i, layer := range depths(g, at) {
		l.places = append(l.places, l.put(i, layer))
	}
	for _, e := range g.Edges {
		from, known := at[e.From]
		to, also := at[e.To]
		if known && also && l.places[from].layer < l.places[to].layer {
			l.join(e, l.places[from], l.places[to])
		}
	}
	const sweeps = 4
	for range sweeps {
		for _, layer := range l.layers {
			orderByNeighbours(layer, func(s *slot) []*slot { return s.above })
		}
		for _, layer := range slices.Backward(l.layers) {
			orderByNeighbours(layer, func(s *slot) []*slot { return s.below })
		}
	}
	return l
}

// depths returns the longest path to each node. Where a graph has a cycle, which none that was
// saved does, it ends all the same.
func depths(g flow.Graph, at map[string]int) []int {
	deep := make([]int, len(g.Nodes))
	for range g.Nodes {
		for _, e := range g.Edges {
			from, known := at[e.From]
			to, also := at[e.To]
			if known && also {
				deep[to] = min(max(deep[to], deep[from]+1), len(g.Nodes)-1)
			}
		}
	}
	return deep
}

// put adds a slot at the end of a layer.
func (l *layout) put(node, layer int) *slot {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	s := &slot{node: node, layer: layer, order: float64(len(l.layers[layer]))}
	l.layers[layer] = append(l.layers[layer], s)
	return s
}

// join leads an edge through the layers between two nodes.
func (l *layout) join(e flow.Edge, from, to *slot) {
	through := []*slot{from}
	for layer := from.layer + 1; layer < to.layer; layer++ {
		through = append(through, l.put(-1, layer))
	}
	through = append(through, to)
	for i := 1; i < len(through); i++ {
		through[i-1].below = append(through[i-1].below, through[i])
		through[i].above = append(through[i].above, through[i-1])
	}
	l.chains = append(l.chains, chain{e, through})
}

// orderByNeighbours orders a layer by the middle of what its slots are joined to.
func orderByNeighbours(layer []*slot, joined func(*slot) []*slot) {
	middle := map[*slot]float64{}
	for _, s := range layer {
		middle[s] = s.order
		if others := joined(s); len(others) > 0 {
			sum := 0.0
			for _, other := range others {
				sum += other.order
			}
			middle[s] = sum / float64(len(others))
		}
	}
	slices.SortStableFunc(layer, func(a, b *slot) int { return cmp.Compare(middle[a], middle[b]) })
	for i, s := range layer {
		s.order = float64(i)
	}
}

// spread sets out the layers in the middle of the widest, whose width it returns.
func (l *layout) spread() int {
	widest := 0
	widths := make([]int, len(l.layers))
	for i, layer := range l.layers {
		for j, s := range layer {
			if j > 0 {
				widths[i] += between
			}
			widths[i] += s.width()
		}
		widest = max(widest, widths[i])
	}
	for i, layer := range l.layers {
		x := margin + (widest-widths[i])/2
		for _, s := range layer {
			s.x = x + s.width()/2
			x += s.width() + between
		}
	}
	return widest + 2*margin
}

// describe says a configuration in a few words: its one value, or its values by name.
func describe(c flow.Config) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		value := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c[name])), " "), "[]")
		if len(c) > 1 {
			value = strings.ReplaceAll(name, "_", " ") + " " + value
		}
		said = append(said, value)
	}
	return strings.Join(said, ", ")
}
