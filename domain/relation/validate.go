package relation

import (
	"fmt"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
)

// validation collects errors of a model.
type validation struct {
	model  *Model
	faults []fault.Field
}

// complain records a mistake at a path, or at a line of the DSL.
func (v *validation) complain(line int, path, format string, args ...any) {
	if len(v.faults) == mostFaults {
		return
	}
	message := fmt.Sprintf(format, args...)
	if line > 0 {
		path, message = place, "line "+strconv.Itoa(line)+": "+message
	}
	v.faults = append(v.faults, fault.Field{Path: path, Message: message})
}

// about complains of a relation.
func (v *validation) about(r *Relation, format string, args ...any) {
	for i, t := range v.model.Types {
		if t == r.of {
			path := at(place+"/type_definitions", i) + "/relations" + fault.Pointer(r.Name)
			v.complain(r.line, path, format, args...)
			return
		}
	}
}

// validate returns the errors of a well-formed model.
func (m *Model) validate() []fault.Field {
	v := &validation{model: m}
	if len(m.Types) == 0 || len(m.Types) > mostTypes {
		v.complain(0, place, "must have 1 to 100 types")
	}
	if len(m.Conditions) > mostConditions {
		v.complain(0, place, "must have at most 100 conditions")
	}
	v.names()
	if len(v.faults) > 0 {
		return v.faults
	}
	m.prepare()
	for _, r := range m.relations {
		v.relation(r)
	}
	if len(v.faults) == 0 {
		v.entries()
	}
	return v.faults
}

// bounded fails if a model is larger than a new one may be.
func (m *Model) bounded() error {
	relations, rewrites, restrictions := 0, 0, 0
	for _, t := range m.Types {
		relations += len(t.Relations)
		for _, r := range t.Relations {
			rewrites += r.Rewrite.size()
			restrictions += len(r.Direct)
		}
	}
	var faults []fault.Field
	for _, one := range []struct {
		what        string
		count, most int
	}{
		{"relations", relations, mostRelations},
		{"operators and operands", rewrites, mostRewrites},
		{"subject types listed in relations", restrictions, mostRestrictions},
	} {
		if one.count > one.most {
			faults = append(faults, fault.Field{Path: place, Message: fmt.Sprintf(
				"has too many %s (%s; at most %s): remove some or move them to another workspace",
				one.what, fault.Grouped(one.count), fault.Grouped(one.most))})
		}
	}
	if faults != nil {
		return fault.Refuse(faults...)
	}
	return nil
}

// size counts a rewrite and its operands.
func (w *Rewrite) size() int {
	count := 1
	for i := range w.Operands {
		count += w.Operands[i].size()
	}
	return count
}

// reserved reports whether a name means the relation or type itself.
func reserved(name string) bool { return name == "self" || name == "this" }

// names complains of names that cannot be, or are given twice.
func (v *validation) names() {
	types := map[string]bool{}
	for i, t := range v.model.Types {
		path := at(place+"/type_definitions", i)
		switch {
		case !isType(t.Name) || reserved(t.Name):
			v.complain(t.line, path+"/type", "a type name must have 1 to 254 bytes, no whitespace, :, #, @ or *, and not be self or this")
		case types[t.Name]:
			v.complain(t.line, path+"/type", "the type %s is defined twice", t.Name)
		}
		types[t.Name] = true
		relations := map[string]bool{}
		for _, r := range t.Relations {
			path := path + "/relations" + fault.Pointer(r.Name)
			switch {
			case !isRelation(r.Name) || reserved(r.Name):
				v.complain(r.line, path, "a relation name must have 1 to 50 bytes, no whitespace, :, #, @ or *, and not be self or this")
			case relations[r.Name]:
				v.complain(r.line, path, "the relation %s is defined twice", r.Name)
			}
			relations[r.Name] = true
		}
	}
	conditions := map[string]bool{}
	for _, c := range v.model.Conditions {
		if conditions[c.Name] {
			v.complain(c.line, place, "the condition %s is defined twice", c.Name)
		}
		conditions[c.Name] = true
		v.condition(c)
	}
}

// isIdentifier reports whether a text can name a condition or parameter: an
// identifier of CEL.
func isIdentifier(text string) bool {
	for i, r := range text {
		letter := r == '_' || ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != "" && len(text) <= mostRelation
}

func (v *validation) condition(c *Condition) {
	path := place + "/conditions" + fault.Pointer(c.Name)
	if !isName(c.Name, mostRelation, ":#@*") {
		v.complain(c.line, path, "a condition name must have 1 to 50 bytes and no whitespace, :, #, @ or *")
	}
	if strings.TrimSpace(c.Expression) == "" {
		v.complain(c.line, path+"/expression", "the condition %s has no expression", c.Name)
	}
	if len(c.Parameters) == 0 || len(c.Parameters) > mostParameters {
		v.complain(c.line, path+"/parameters", "the condition %s must have 1 to 25 parameters", c.Name)
	}
	seen := map[string]bool{}
	for _, p := range c.Parameters {
		if !isIdentifier(p.Name) || seen[p.Name] {
			v.complain(c.line, path+"/parameters"+fault.Pointer(p.Name), "parameters of %s need unique names of letters, digits and _", c.Name)
		}
		seen[p.Name] = true
	}
}

func (v *validation) relation(r *Relation) {
	this := false
	for _, leaf := range r.leaves {
		switch leaf.Op {
		case This:
			this = true
		case Computed:
			if r.of.relations[leaf.Relation] == nil {
				v.about(r, "%s refers to %s, which %s does not define", r.Name, leaf.Relation, r.of.Name)
			}
		case FromParent:
			v.parent(r, leaf)
		case Union, Intersection, Difference:
		}
	}
	switch {
	case this && len(r.Direct) == 0:
		v.about(r, "%s is direct but lists no subject types", r.Name)
	case !this && len(r.Direct) > 0:
		v.about(r, "%s lists subject types but is not direct", r.Name)
	}
	seen := map[string]bool{}
	for _, one := range r.Direct {
		if seen[one.String()] {
			v.about(r, "%s lists %s twice", r.Name, one)
		}
		seen[one.String()] = true
		v.restriction(r, one)
	}
}

// parent validates relation from tupleset.
func (v *validation) parent(r *Relation, leaf *Rewrite) {
	set := r.of.relations[leaf.Tupleset]
	if set == nil {
		v.about(r, "%s follows %s, which %s does not define", r.Name, leaf.Tupleset, r.of.Name)
		return
	}
	if set.Rewrite.Op != This {
		v.about(r, "%s follows %s, which must only list types", r.Name, leaf.Tupleset)
		return
	}
	for _, one := range set.Direct {
		if one.Relation != "" || one.Wildcard {
			v.about(r, "%s follows %s, which must only list plain types, not %s", r.Name, leaf.Tupleset, one.Shape())
			return
		}
	}
	if len(set.Direct) > 0 && len(r.follows(leaf)) == 0 {
		v.about(r, "%s refers to %s from %s, but none of its types define it", r.Name, leaf.Relation, leaf.Tupleset)
	}
}

func (v *validation) restriction(r *Relation, one Restriction) {
	switch {
	case v.model.types[one.Type] == nil:
		v.about(r, "%s lists the type %s, which is not defined", r.Name, one.Type)
	case one.Wildcard && one.Relation != "":
		v.about(r, "%s lists %s both as a wildcard and as a relation", r.Name, one.Type)
	case one.Relation != "" && v.model.Relation(one.Type, one.Relation) == nil:
		v.about(r, "%s lists %s, which %s does not define", r.Name, one.Shape(), one.Type)
	}
	if one.Condition != "" && v.model.conditions[one.Condition] == nil {
		v.about(r, "%s lists the condition %s, which is not defined", r.Name, one.Condition)
	}
}

// Warnings returns probable mistakes in a valid model.
func (m *Model) Warnings() []string {
	used := map[string]bool{}
	warnings := []string{}
	for _, t := range m.Types {
		for _, r := range t.Relations {
			for _, one := range r.Direct {
				used[one.Condition] = true
			}
		}
	}
	for _, c := range m.Conditions {
		if !used[c.Name] {
			warnings = append(warnings, "unused condition: "+c.Name)
		}
	}
	return warnings
}
