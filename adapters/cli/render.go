package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// member is a member of an object, in document order.
type member struct {
	name  string
	value jsontext.Value
}

// style adds escape codes to text if the terminal supports colors.
type style bool

const (
	bold = "\x1b[1m"
	dim  = "\x1b[2m"
	red  = "\x1b[31m"
	none = "\x1b[0m"
)

func (s style) in(code, text string) string {
	if !s || code == "" || text == "" {
		return text
	}
	return code + text + none
}

// style returns the style of the terminal (https://no-color.org).
func (a *app) style() style {
	return style(a.Terminal && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb")
}

// render formats data for people: an object as lines of names and values, a list of
// objects as a table. The columns of the list are those named, or as many as fit.
func (a *app) render(data jsontext.Value, columns []string) string {
	page := renderer{style: a.style(), width: a.Width, columns: columns}
	switch data.Kind() {
	case '{':
		page.object("", data)
	case '[':
		page.list("", data)
	case 'n':
	default:
		page.text.WriteString(cell(data) + "\n")
	}
	if page.text.Len() == 0 {
		return "done\n"
	}
	return page.text.String()
}

type renderer struct {
	style style
	// width is the number of columns of the terminal; 0 if unknown.
	width int
	// columns are those that the list shall have; all that fit if empty.
	columns []string
	text    strings.Builder
}

// object writes plain members first, then lists of objects with headings.
func (r *renderer) object(title string, object jsontext.Value) {
	plain, lists := flatten("", object)
	onlyItems := len(lists) == 1 && lists[0].name == "items"
	if !onlyItems {
		r.heading(title)
		r.pairs(plain)
	}
	for _, l := range lists {
		name := l.name
		if onlyItems {
			name = ""
		}
		r.list(name, l.value)
	}
	if onlyItems {
		r.rest(plain)
	}
}

// rest writes the members beside the items of a list; an empty cursor is omitted.
func (r *renderer) rest(plain []member) {
	var others []member
	for _, m := range plain {
		switch {
		case m.name != "next_cursor":
			others = append(others, m)
		case m.value.Kind() == '"':
			others = append(others, member{"next page", jsontext.Value(`"cursor=` + string(m.value[1:]))})
		}
	}
	if len(others) > 0 {
		r.text.WriteByte('\n')
		r.pairs(others)
	}
}

func (r *renderer) heading(title string) {
	if r.text.Len() > 0 {
		r.text.WriteByte('\n')
	}
	if title != "" {
		r.text.WriteString(r.style.in(bold, clean(title)) + "\n")
	}
}

// pairs writes names and values in two columns.
func (r *renderer) pairs(members []member) {
	widest := 0
	for _, m := range members {
		widest = max(widest, utf8.RuneCountInString(clean(m.name)))
	}
	for _, m := range members {
		r.text.WriteString(r.style.in(dim, padded(clean(m.name), widest)) + "  " + cell(m.value) + "\n")
	}
}

// list writes a list: objects as a table.
func (r *renderer) list(title string, list jsontext.Value) {
	var items []jsontext.Value
	if jsonv2.Unmarshal(list, &items) != nil {
		return
	}
	r.heading(title)
	if len(items) == 0 {
		r.text.WriteString(r.style.in(dim, "none") + "\n")
		return
	}
	var header []string
	records := make([]map[string]string, len(items))
	for i, item := range items {
		plain, lists := flatten("", item)
		records[i] = map[string]string{}
		for _, m := range slices.Concat(plain, lists) {
			if !slices.Contains(header, m.name) {
				header = append(header, m.name)
			}
			records[i][m.name] = cell(m.value)
		}
	}
	if title == "" && len(r.columns) > 0 {
		r.table(r.columns, records)
		return
	}
	shown, left := r.fitting(header, records)
	r.table(shown, records)
	if len(left) > 0 {
		r.text.WriteString(r.style.in(dim, "more columns: "+clean(strings.Join(left, ", "))+" (--columns)") + "\n")
	}
}

// widestCell is the width to which values are cut in a table whose columns are not named.
const widestCell = 40

// fitting returns the columns that fit the terminal, whose values it cuts to widestCell,
// and those left out. The first column is always shown.
func (r *renderer) fitting(header []string, records []map[string]string) (shown, left []string) {
	if r.width == 0 {
		return header, nil
	}
	used := 0
	for _, name := range header {
		for _, record := range records {
			record[name] = cut(record[name], widestCell)
		}
		wide := columnWidth(name, records)
		if len(shown) > 0 && used+wide > r.width {
			left = append(left, name)
			continue
		}
		used += wide + 2
		shown = append(shown, name)
	}
	return shown, left
}

// cut shortens a text.
func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

func columnWidth(name string, records []map[string]string) int {
	wide := utf8.RuneCountInString(clean(name))
	for _, record := range records {
		wide = max(wide, utf8.RuneCountInString(record[name]))
	}
	return wide
}

// table writes records under a header.
func (r *renderer) table(header []string, records []map[string]string) {
	widths := make([]int, len(header))
	for i, name := range header {
		widths[i] = columnWidth(name, records)
	}
	line := func(code string, value func(name string) string) {
		var cells []string
		for i, name := range header {
			cells = append(cells, padded(value(name), widths[i]))
		}
		r.text.WriteString(r.style.in(code, strings.TrimRight(strings.Join(cells, "  "), " ")) + "\n")
	}
	line(bold, clean)
	for _, record := range records {
		line("", func(name string) string { return cmp.Or(record[name], "-") })
	}
}

// flatten returns the members of an object, with dotted names for nested ones, and
// separately the lists of objects. A value that is no object is a single member.
func flatten(prefix string, object jsontext.Value) (plain, lists []member) {
	for _, m := range membersOf(object) {
		m.name = prefix + m.name
		switch {
		case m.value.Kind() == '{' && len(membersOf(m.value)) > 0:
			inner, innerLists := flatten(m.name+".", m.value)
			plain, lists = append(plain, inner...), append(lists, innerLists...)
		case m.value.Kind() == '[' && holdsObjects(m.value) || prefix == "" && m.name == "items":
			lists = append(lists, m)
		default:
			plain = append(plain, m)
		}
	}
	if object.Kind() != '{' {
		plain = []member{{"value", object}}
	}
	return plain, lists
}

// membersOf returns the members of an object in document order.
func membersOf(object jsontext.Value) []member {
	var read ordered
	if object.Kind() != '{' || jsonv2.Unmarshal(object, &read) != nil {
		return nil
	}
	return read
}

// ordered is an object in document order.
type ordered []member

func (o *ordered) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if _, err := from.ReadToken(); err != nil {
		return err
	}
	for from.PeekKind() != '}' {
		name, err := from.ReadToken()
		if err != nil {
			return err
		}
		read := member{name: name.String()}
		value, err := from.ReadValue()
		if err != nil {
			return err
		}
		read.value = value.Clone()
		*o = append(*o, read)
	}
	_, err := from.ReadToken()
	return err
}

func holdsObjects(list jsontext.Value) bool {
	var items []jsontext.Value
	if jsonv2.Unmarshal(list, &items) != nil {
		return false
	}
	return slices.ContainsFunc(items, func(item jsontext.Value) bool { return item.Kind() == '{' })
}

// cell formats a value in one line.
func cell(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return "-"
		}
		return cmp.Or(clean(string(text)), `""`)
	case 'n':
		return "-"
	case '[':
		var items []jsontext.Value
		if jsonv2.Unmarshal(value, &items) == nil && !holdsObjects(value) {
			texts := make([]string, 0, len(items))
			for _, item := range items {
				texts = append(texts, cell(item))
			}
			return cmp.Or(strings.Join(texts, ", "), "-")
		}
	}
	compact := value.Clone()
	_ = compact.Compact()
	return clean(string(compact))
}

// clean escapes control characters and those that change the text direction, since
// values are chosen by others.
func clean(text string) string {
	var shown strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			shown.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		shown.WriteString(quoted[1 : len(quoted)-1])
	}
	return shown.String()
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", width-utf8.RuneCountInString(text))
}
