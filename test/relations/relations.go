// Package relations holds the table of cases about relations: models, tuples, and what
// follows from them. The engine runs all of it over memory, the family RELATION over both
// databases.
package relations

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/relation"
)

//go:embed cases.txt
var table string

// Case is a model with tuples and what follows.
type Case struct {
	Name   string
	Model  string
	Tuples []relation.Tuple
	Checks []Check
}

// Check is a question with its answer: yes, no or error.
type Check struct {
	Text string
	Want string
	// Object, Relation and Subject are as they stand in the table: an error may be what
	// they are.
	Object, Relation, Subject string
	Context                   map[string]any
}

// Cases reads the table.
func Cases(t testing.TB) []Case {
	t.Helper()
	var all []Case
	for part := range strings.SplitSeq("\n"+table, "\n== ") {
		name, rest, found := strings.Cut(part, "\n")
		if !found {
			continue
		}
		model, rest, _ := strings.Cut(rest, "-- tuples\n")
		tuples, checks, _ := strings.Cut(rest, "-- checks\n")
		one := Case{Name: name, Model: model}
		for line := range strings.Lines(tuples) {
			one.Tuples = append(one.Tuples, tuplesOf(t, strings.TrimSpace(line))...)
		}
		for line := range strings.Lines(checks) {
			if line = strings.TrimSpace(line); line != "" {
				one.Checks = append(one.Checks, checkOf(t, line))
			}
		}
		all = append(all, one)
	}
	return all
}

// tuplesOf reads a line of tuples: one, or a chain type relation n of objects 1 to n.
func tuplesOf(t testing.TB, line string) []relation.Tuple {
	t.Helper()
	var of, name string
	var length int
	if n, _ := fmt.Sscanf(line, "chain %s %s %d", &of, &name, &length); n == 3 {
		var all []relation.Tuple
		for i := 1; i < length; i++ {
			all = append(all, tuplesOf(t, fmt.Sprintf("%s:%d#%s@%s:%d", of, i, name, of, i+1))...)
		}
		return all
	}
	key, condition, _ := strings.Cut(line, " with ")
	object, rest, _ := strings.Cut(key, "#")
	name, subject, _ := strings.Cut(rest, "@")
	var made relation.Tuple
	var err error
	if made.Object, err = relation.ParseObject(object); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if made.Subject, err = relation.ParseSubject(subject); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	made.Relation = name
	made.Condition, made.Context, _ = strings.Cut(condition, " ")
	return []relation.Tuple{made}
}

func checkOf(t testing.TB, line string) Check {
	t.Helper()
	want, question, _ := strings.Cut(line, " ")
	question, context, conditional := strings.Cut(question, " ")
	object, rest, _ := strings.Cut(question, "#")
	name, subject, _ := strings.Cut(rest, "@")
	made := Check{Text: line, Want: want, Object: object, Relation: name, Subject: subject}
	if conditional {
		if err := json.Unmarshal([]byte(context), &made.Context); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	return made
}
