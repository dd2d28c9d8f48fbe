package people

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/user"
)

// # Decision
//
// Context: a search finds any part of a name or address (contract section 4), at a million accounts, on both
// databases, and where personal data is sealed. Choice: an inverted index of tokens that this package derives: every
// three characters in a row of what is stored in clear, whole words of what is sealed. PostgreSQL indexes them as an
// array and SQLite as a document, so that neither needs an extension. Tokens are blind in both cases, and
// what is found by those of a text in clear is compared with it. To be reconsidered for searches that rank.

// partLength is the number of characters of a part; shorter texts are searched by beginning.
const partLength = 3

// mostParts limits the parts that a search is looked up by; all of its text is compared anyway.
const mostParts = 8

// tokensOf returns the tokens that an account is found by.
func tokensOf(store *sqlstore.Store, u user.Snapshot) string {
	if store.InClear() {
		return tokens(store, label.SearchPart, append(parts(u.Email.Folded()), parts(folded(u.DisplayName))...))
	}
	local, domain, _ := strings.Cut(u.Email.Folded(), "@")
	return tokens(store, label.SearchWord, append(nameWords(u.DisplayName), local, domain))
}

// tokens returns the blind tokens of pieces of text, each once, with spaces between them.
func tokens(store *sqlstore.Store, label string, pieces []string) string {
	made := make([]string, len(pieces))
	for i, piece := range pieces {
		made[i] = store.SearchToken(label, piece)
	}
	slices.Sort(made)
	return strings.Join(slices.Compact(made), " ")
}

// folded returns a text as it is compared.
func folded(text string) string { return strings.ToLower(sqlstore.Printable(text)) }

// parts returns every partLength characters in a row.
func parts(text string) []string {
	runes := []rune(text)
	var found []string
	for i := range len(runes) - partLength + 1 {
		found = append(found, string(runes[i:i+partLength]))
	}
	return found
}

// nameWords returns what stands between the spaces of a name, also without the signs around and in it.
func nameWords(name string) []string {
	name = folded(name)
	return append(strings.Fields(name), strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})...)
}

// search is how accounts are found by a text.
type search struct {
	// row is the condition that a row of users matches.
	row *sqlstore.Filter
	// ranges are conditions, one each, that are served by an index; one of them holds for each row that matches.
	ranges []*sqlstore.Filter
}

// newSearch returns the search for a text; nothing matches one without ranges.
func newSearch(store *sqlstore.Store, text string) search {
	switch text = folded(text); {
	case !store.InClear():
		return wordSearch(store, text)
	case utf8.RuneCountInString(text) < partLength:
		return beginningSearch(text)
	default:
		return partSearch(store, text)
	}
}

const (
	indexed = "id IN (SELECT user_id FROM user_search WHERE {search matches})"
	holds   = "EXISTS (SELECT 1 FROM user_search WHERE user_search.user_id = users.id AND {search holds})"
)

// partSearch finds a text anywhere in addresses and names. While the index of tokens is incomplete, it finds a whole
// address nevertheless.
func partSearch(store *sqlstore.Store, text string) search {
	row := &sqlstore.Filter{}
	row.Where("({position}(email_folded, ?) > 0 OR {position}(name_folded, ?) > 0)", text, text)
	all := parts(text)
	var some []string
	for i := range min(mostParts, len(all)) {
		some = append(some, all[i*len(all)/min(mostParts, len(all))])
	}
	found := &sqlstore.Filter{}
	found.Where("("+indexed+" AND "+row.Conditions[0]+")", append([]any{tokens(store, label.SearchPart, some)}, row.Args...)...)
	return search{row, append(byAddress(store, text), found)}
}

// wordSearch finds words of names, and local parts, domains and whole addresses, where these are sealed.
func wordSearch(store *sqlstore.Store, text string) search {
	var words []string
	for field := range strings.FieldsSeq(text) {
		if word := strings.Trim(field, "@"); word != "" {
			words = append(words, word)
		}
	}
	s := search{row: &sqlstore.Filter{}, ranges: byAddress(store, text)}
	if len(words) > 0 {
		found, wanted := &sqlstore.Filter{}, tokens(store, label.SearchWord, words)
		found.Where(indexed, wanted)
		s.ranges = append(s.ranges, found)
		s.row.Where(holds, wanted)
	}
	for _, address := range byAddress(store, text) {
		s.row.Where(address.Conditions[0], address.Args...)
	}
	s.row = anyOf(s.row)
	return s
}

// byAddress returns the condition that a text is the address, if it is one.
func byAddress(store *sqlstore.Store, text string) []*sqlstore.Filter {
	address, err := email.Parse(text)
	if err != nil {
		return nil
	}
	f := &sqlstore.Filter{}
	f.Where("email_index = ?", store.EmailIndex(address))
	return []*sqlstore.Filter{f}
}

// beginningSearch finds the beginning of addresses and names, by partial indexes.
func beginningSearch(text string) search {
	row, s := &sqlstore.Filter{}, search{}
	for _, column := range []string{"email_folded", "name_folded"} {
		begins := &sqlstore.Filter{}
		begins.Where("("+column+" <> '' AND "+column+" >= ? AND "+column+" < ?)", text, text+string(utf8.MaxRune))
		s.ranges = append(s.ranges, begins)
		row.Where(begins.Conditions[0], begins.Args...)
	}
	s.row = anyOf(row)
	return s
}

// anyOf returns the condition that one of several holds.
func anyOf(f *sqlstore.Filter) *sqlstore.Filter {
	return &sqlstore.Filter{Conditions: []string{"(" + strings.Join(f.Conditions, " OR ") + ")"}, Args: f.Args}
}
