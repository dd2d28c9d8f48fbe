package flow

import (
	"encoding/json"
	"maps"
	"slices"
)

func nodesByID(g Graph) map[string]string {
	by := map[string]string{}
	for _, n := range g.Nodes {
		text, err := json.Marshal(n)
		if err == nil {
			by[n.ID] = string(text)
		}
	}
	return by
}

func edgesByPlace(g Graph) map[string]string {
	by := map[string]string{}
	for _, e := range g.Edges {
		by[e.From+" "+e.Output()] = e.To
	}
	return by
}

// differ describes the differences between named things: added, changed and removed
// ones.
func differ(what string, before, after map[string]string) []string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch old, known := before[name]; {
		case !known:
			said = append(said, what+" "+name+" added")
		case old != after[name]:
			said = append(said, what+" "+name+" changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, kept := after[name]; !kept {
			said = append(said, what+" "+name+" removed")
		}
	}
	return said
}
