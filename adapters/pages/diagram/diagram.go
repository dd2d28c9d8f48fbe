// Package diagram lays out the graph of a flow as layers: each node is in the layer of
// the longest path that leads to it, and edges are curves between layers.
package diagram

import (
	"fmt"
	"strings"

	"gatehouse.internal/domain/flow"
)

// Sizes, in pixels.
const (
	boxWidth  = 212
	boxHeight = 60
	// bendWidth is the width of an edge that passes through a layer.
	bendWidth = 16
	between   = 24
	layerGap  = 56
	margin    = 8
)

// Diagram is a graph with coordinates.
type Diagram struct {
	Width, Height int
	Boxes         []Box
	Lines         []Line
}

// Box is a node.
type Box struct {
	X, Y, Width, Height int
	ID, Type            string
	// Detail summarizes the configuration; Short is the type with as much of it as fits
	// into the box.
	Detail, Short string
	// Lit reports whether the node was executed.
	Lit bool
}

// Line is an edge.
type Line struct {
	// Path is the curve in the syntax of SVG paths.
	Path string
	// Label is the output of the source node, empty if it has only one; X and Y are the
	// position of the label.
	Label string
	X, Y  int
	// Lit reports whether the run took the edge.
	Lit bool
}

// Step is an executed node and the output it took.
type Step struct{ Node, Output string }

// Of lays out a graph and highlights the path of a run.
func Of(g flow.Graph, path []Step) Diagram {
	l := arrange(g)
	d := Diagram{Height: margin*2 + len(l.layers)*(boxHeight+layerGap) - layerGap}
	d.Width = l.spread()
	ran := map[string]bool{}
	for _, step := range path {
		ran[step.Node] = true
	}
	for i, n := range g.Nodes {
		at, detail := l.places[i], describe(n.Config)
		d.Boxes = append(d.Boxes, Box{
			X: at.x - boxWidth/2, Y: top(at.layer), Width: boxWidth, Height: boxHeight,
			ID: shortened(n.ID), Type: n.Type, Detail: detail, Short: shortened(strings.TrimSpace(strings.ReplaceAll(n.Type, "_", " ") + " " + detail)), Lit: ran[n.ID],
		})
	}
	for _, one := range l.chains {
		line := draw(one.slots)
		line.Lit = took(path, one.edge)
		if line.Label = one.edge.Output(); line.Label == flow.Default {
			line.Label = ""
		}
		line.Label = shortened(line.Label)
		d.Lines = append(d.Lines, line)
	}
	return d
}

// took reports whether a run took an edge.
func took(path []Step, e flow.Edge) bool {
	for i := 1; i < len(path); i++ {
		before := path[i-1]
		if before.Node == e.From && path[i].Node == e.To && (before.Output == e.Output() || before.Output == "") {
			return true
		}
	}
	return false
}

func top(layer int) int { return margin + layer*(boxHeight+layerGap) }

// draw returns the curve through the slots of an edge, with an arrowhead.
func draw(slots []*slot) Line {
	first := slots[0]
	x, y := first.x, top(first.layer)+boxHeight
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", x, y)
	for _, next := range slots[1:] {
		end := top(next.layer)
		fmt.Fprintf(&path, "C%d %d %d %d %d %d", x, y+layerGap/2, next.x, end-layerGap/2, next.x, end)
		if x, y = next.x, end; next.node < 0 {
			y += boxHeight
			fmt.Fprintf(&path, "V%d", y)
		}
	}
	const head = 5
	fmt.Fprintf(&path, "m-%d -%dl%d %dl%d -%d", head, head, head, head, head, head)
	return Line{Path: path.String(), X: (first.x + slots[1].x) / 2, Y: top(first.layer) + boxHeight + layerGap/2}
}

// room is the number of characters that fit into a box.
const room = 27

// shortened truncates a text to the width of a box; wide characters count twice.
func shortened(text string) string {
	const wide = 0x2E80
	left := room
	for at, letter := range text {
		if left--; letter >= wide {
			left--
		}
		if left < 0 {
			return strings.TrimSpace(text[:at]) + "…"
		}
	}
	return text
}
