package relation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse.internal/domain/fault"
)

// What names may be long, in bytes: those of OpenFGA.
const (
	mostType     = 254
	mostRelation = 50
	mostObject   = 256
	mostSubject  = 512
)

// Wildcard is the identifier for every object of a type.
const Wildcard = "*"

// Errors of names. Each continues the name of a parameter.
var (
	ErrObject   = fault.New(fault.Validation, "must be type:id, at most 256 bytes, without whitespace, # or a second colon")
	ErrSubject  = fault.New(fault.Validation, "must be type:id, type:* or type:id#relation, at most 512 bytes, without whitespace")
	ErrRelation = fault.New(fault.Validation, "must be a relation name of 1 to 50 bytes, without whitespace, :, #, @ or *")
)

// Object is a thing of the application: doc:1.
type Object struct{ Type, ID string }

// Names that this service resolves without tuples.
const (
	userType       = "user"
	groupType      = "group"
	memberRelation = "member"
)

// User returns an account of this service as an object.
func User(id string) Object { return Object{userType, id} }

// Group returns a group of this service as an object.
func Group(id string) Object { return Object{groupType, id} }

func (o Object) String() string { return o.Type + ":" + o.ID }

// Subject is an object (user:usr_…), all objects of a type (user:*), or a userset:
// everybody with a relation to an object (group:eng#member).
type Subject struct {
	Object

	Relation string
}

func (s Subject) String() string {
	if s.Relation == "" {
		return s.Object.String()
	}
	return s.Object.String() + "#" + s.Relation
}

// Userset reports whether the subject is a userset.
func (s Subject) Userset() bool { return s.Relation != "" }

// Everybody reports whether the subject is all objects of a type.
func (s Subject) Everybody() bool { return s.ID == Wildcard }

// everybody returns the wildcard of the subject's type; for a userset, the userset
// itself.
func (s Subject) everybody() Subject {
	if s.Userset() {
		return s
	}
	return Subject{Object{s.Type, Wildcard}, ""}
}

// isName reports whether a text is a name of at most so many bytes without the
// characters that tuples are written with.
func isName(text string, most int, without string) bool {
	return text != "" && len(text) <= most && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune(without, r)
		})
}

func isType(text string) bool     { return isName(text, mostType, ":#@*") }
func isRelation(text string) bool { return isName(text, mostRelation, ":#@*") }

// ParseObject reads an object; it fails with ErrObject.
func ParseObject(text string) (Object, error) {
	of, id, found := strings.Cut(text, ":")
	if !found || len(text) > mostObject || !isType(of) || !isName(id, mostObject, ":#") || id == Wildcard {
		return Object{}, ErrObject
	}
	return Object{of, id}, nil
}

// ParseSubject reads a subject; it fails with ErrSubject.
func ParseSubject(text string) (Subject, error) {
	object, relation, isUserset := strings.Cut(text, "#")
	of, id, found := strings.Cut(object, ":")
	if !found || len(text) > mostSubject || !isType(of) || !isName(id, mostSubject, ":#") {
		return Subject{}, ErrSubject
	}
	if isUserset && (id == Wildcard || !isRelation(relation)) {
		return Subject{}, ErrSubject
	}
	return Subject{Object{of, id}, relation}, nil
}

// ParseRelation reads the name of a relation; it fails with ErrRelation.
func ParseRelation(text string) (string, error) {
	if !isRelation(text) {
		return "", ErrRelation
	}
	return text, nil
}
