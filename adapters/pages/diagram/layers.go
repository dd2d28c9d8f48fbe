package diagram

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatehouse.internal/domain/flow"
)

// slot is a place in a layer, occupied by a node or by a passing edge.
type slot struct {
	// node is the index of the node, or -1 for an edge.
	node, layer int
	// x is the horizontal center, and order the position in the layer.
	x     int
	order float64
	// above and below are the connected slots in the adjacent layers.
	above, below []*slot
}

func (s *slot) width() int {
	if s.node < 0 {
		return bendWidth
	}
	return boxWidth
}

// chain is an edge and the slots that it passes through.
type chain struct {
	edge  flow.Edge
	slots []*slot
}

// layout assigns nodes and edges to layers.
type layout struct {
	layers [][]*slot
	// places are the slots of the nodes, in graph order.
	places []*slot
	chains []chain
}

// arrange assigns nodes to layers, and orders these to reduce crossings.
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
			orderByNeighbors(layer, func(s *slot) []*slot { return s.above })
		}
		for _, layer := range slices.Backward(l.layers) {
			orderByNeighbors(layer, func(s *slot) []*slot { return s.below })
		}
	}
	return l
}

// depths returns the length of the longest path to each node. It terminates for graphs
// with cycles, although saved graphs have none.
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

// put appends a slot to a layer.
func (l *layout) put(node, layer int) *slot {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	s := &slot{node: node, layer: layer, order: float64(len(l.layers[layer]))}
	l.layers[layer] = append(l.layers[layer], s)
	return s
}

// join routes an edge through the layers between two nodes.
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

// orderByNeighbors sorts a layer by the mean position of connected slots.
func orderByNeighbors(layer []*slot, joined func(*slot) []*slot) {
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

// spread centers the layers and returns the width of the widest.
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

// describe summarizes a configuration: its only value, or its values by name.
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
