package sqlstore

import (
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
)

// loud is a dialect that shows what it was asked.
type loud struct{}

func (loud) Words() map[string]string { return map[string]string{"for update": "LOCKED"} }

func (loud) Placeholders(query string) string                                 { return strings.ReplaceAll(query, "?", "$") }
func (loud) Failure(error) Failure                                            { return Other }
func (loud) Migrations() (d goose.Dialect, o goose.ProviderOption, err error) { return d, o, err }

func (loud) Rows(columns []Column) (table, comparison string) {
	return "TABLE" + strings.Repeat(" ?", len(columns)), "ANY ?"
}

func (loud) Bind(columns []Column, rows [][]driver.Value) ([]any, error) {
	bound := make([]any, len(columns))
	for i := range columns {
		for _, row := range rows {
			bound[i] = append(asList(bound[i]), row[i])
		}
	}
	return bound, nil
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	for portable, want := range map[string]string{
		"SELECT 1":                          "SELECT 1",
		"SELECT a WHERE b = ? {for update}": "SELECT a WHERE b = $ LOCKED",
		"x ? {rows id text, at\n\ttime} y {rows n bigint}": "x $ TABLE $ $ y TABLE $",
		"x ? AND y {any id text}":                          "x $ AND y ANY $",
	} {
		got, err := translate(loud{}, portable)
		if err != nil || got.text != want {
			t.Errorf("translate(%q) = %q, %v, want %q", portable, got.text, err, want)
		}
	}
	for _, wrong := range []string{"{unknown}", "{}", "{for update", "{rows}", "{any}", "{any id}", "{rows id}", "{rows id integer}", "{rows id text,}", "'{\"json\": 1}'"} {
		if got, err := translate(loud{}, wrong); err == nil {
			t.Errorf("translate(%q) = %q, want an error", wrong, got.text)
		}
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	type name string
	noon := time.Date(2026, 5, 4, 12, 0, 0, 1999, time.FixedZone("", 7200))
	s, err := translate(loud{}, "? {rows a text, b time} ? {rows c bigint}")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := s.bind(loud{}, []any{1, Rows{{name("x"), At(noon)}, {"y", At(time.Time{})}}, "z", OneColumn([]int{7})})
	want := []any{1, []any{"x", "y"}, []any{noon.UTC().Truncate(time.Microsecond), nil}, "z", []any{int64(7)}}
	if diff := cmp.Diff(want, bound); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	for _, wrong := range [][]any{
		{1, Rows{}, 2},
		{1, Rows{}, 2, Rows{}, Rows{}},
		{1, Rows{{"too few"}}, 2, Rows{}},
		{1, Rows{{"a", struct{}{}}}, 2, Rows{}},
	} {
		if bound, err := s.bind(loud{}, wrong); err == nil {
			t.Errorf("bind(%v) = %v, want an error", wrong, bound)
		}
	}
}

func TestInstantScan(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 4, 12, 0, 0, 123456000, time.UTC)
	for _, c := range []struct {
		stored any
		want   time.Time
	}{
		{nil, time.Time{}},
		{noon.In(time.FixedZone("", 3600)), noon},
		{noon.UnixMicro(), noon},
	} {
		got := At(time.Unix(1, 1))
		if err := got.Scan(c.stored); err != nil || !got.Equal(c.want) || got.Location() != time.UTC && !got.IsZero() {
			t.Errorf("Scan(%v) gives %v, %v, want %v", c.stored, got, err, c.want)
		}
	}
	if err := new(Instant).Scan("2026-05-04"); err == nil {
		t.Error("a text was taken for a time")
	}
}
