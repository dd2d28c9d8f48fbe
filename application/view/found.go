package view

import (
	"context"
	"strings"

	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/ports/outbound/people"
)

// mostCounted is how far matches are counted.
const mostCounted = 10_000

// Search is the search of a list of accounts; embed it.
type Search struct {
	Query string `json:"query,omitzero" doc:"Part of an email address or display name, case-insensitive. Fewer than 3 characters match only the beginning. With ENCRYPTION_KEY set: words of a name, the local part or domain of an address, or a whole address." jsonschema:"minLength=1,maxLength=254,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=ada"`
}

// Text returns the text to search for; "" for none.
func (s Search) Text() string { return strings.TrimSpace(s.Query) }

// SearchPage is a page of accounts, with the number of all that match.
type SearchPage[T any] struct {
	page.Of[T]
	Total            int  `json:"total" doc:"Number of matches on all pages. Counted up to 10,000."`
	TotalExact       bool `json:"total_exact" doc:"Whether total is the exact number. False if there are more than 10,000 matches."`
	SearchIncomplete bool `json:"search_incomplete,omitzero" doc:"True after an upgrade until the search index is filled. Matches may be missing until then."`
}

// NewSearchPage returns a page of accounts with what count counts of them, up to a limit.
func NewSearchPage[T any](ctx context.Context, of page.Of[T], s Search, accounts people.UserDirectory, count func(limit int) (int, error)) (SearchPage[T], error) {
	total, err := count(mostCounted + 1)
	if err != nil {
		return SearchPage[T]{}, err
	}
	found := SearchPage[T]{Of: of, Total: min(total, mostCounted), TotalExact: total <= mostCounted}
	if s.Text() == "" {
		return found, nil
	}
	indexed, err := accounts.Indexed(ctx)
	found.SearchIncomplete = !indexed
	return found, err
}
