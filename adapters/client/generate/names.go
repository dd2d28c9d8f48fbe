package generate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// place is where a shape stands in the catalog.
type place struct {
	family, action string
	// sent reports whether it is in parameters.
	sent bool
	// path is the Go name of the place, which no other place has.
	path string
	// base is the name of the member, or of one of its elements.
	base string
	// owner is the signature of the object around it; empty for one of a command itself.
	owner string
}

// within returns the place of a member.
func (p place) within(name, owner string) place {
	p.path, p.base, p.owner = p.path+goName(name), name, owner
	return p
}

// element returns the place of an element of a list or a map.
func (p place) element() place {
	if p.base == "items" {
		p.base = listed(p.action)
	} else {
		p.base = singular(p.base)
	}
	return p
}

// short is what a type is called unless another one is called so: by its family and the member
// that has it, which is the family alone for what the family is about.
func (p place) short() string {
	family, base := goName(p.family), goName(p.base)
	switch {
	case p.base == "", strings.HasSuffix(family, base):
		return family
	case strings.HasPrefix(base, family):
		return base
	}
	return family + base
}

// named is a type of which several places may have values.
type named struct {
	*shape

	name   string
	family string
	places []place
}

// types are those with names, by signature.
type types struct {
	objects, choices map[string]*named
	taken            map[string]bool
}

func (t *types) add(to map[string]*named, key string, s *shape, at place) {
	if to[key] == nil {
		to[key] = &named{shape: s}
	}
	to[key].places = append(to[key].places, at)
}

// objectKey and choiceKey identify the type of an object and an enumeration.
func objectKey(s *shape, sent bool) string { return fmt.Sprint(sent && !s.strict(), s.signature()) }

func choiceKey(s *shape, base string) string {
	return base + " " + strings.Join(slices.Sorted(slices.Values(s.values())), " ")
}

// collect finds the types below a shape.
func (t *types) collect(s *shape, at place, root bool) {
	owner := ""
	switch {
	case len(s.Properties) > 0 && !root:
		owner = objectKey(s, at.sent)
		t.add(t.objects, owner, s, at)
	case s.values() != nil:
		t.add(t.choices, choiceKey(s, at.base), s, at)
	}
	for _, member := range s.Properties {
		t.collect(member.Shape, at.within(member.Name, owner), false)
	}
	for _, below := range []*shape{s.Items, s.Others.schema} {
		if below != nil {
			t.collect(below, at.element(), false)
		}
	}
}

// settle names each type as most of its places suggest, unless a type with more places is
// called so; then as its first place.
func (t *types) settle(all map[string]*named, suggested func(place) string) error {
	order := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(len(all[b].places)-len(all[a].places), strings.Compare(all[a].places[0].path, all[b].places[0].path))
	})
	for _, key := range order {
		one := all[key]
		votes := map[string]int{}
		for _, at := range one.places {
			votes[suggested(at)]++
		}
		one.name = slices.MinFunc(slices.Collect(maps.Keys(votes)), func(a, b string) int { return cmp.Or(votes[b]-votes[a], strings.Compare(a, b)) })
		at := slices.IndexFunc(one.places, func(at place) bool { return suggested(at) == one.name })
		one.family = one.places[at].family
		if t.taken[one.name] {
			one.name = one.places[at].path
		}
		if t.taken[one.name] {
			return fmt.Errorf("two types are called %s", one.name)
		}
		t.taken[one.name] = true
	}
	return nil
}

// suggestion is what an enumeration is called: by its object, or else by the family.
func (t *types) suggestion(at place) string {
	if owner := t.objects[at.owner]; owner != nil {
		return owner.name + goName(at.base)
	}
	return at.short()
}
