package arch_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of texts: characters of a summary, and words of a sentence.
const (
	longestSummary  = 100
	longestSentence = 30
)

// hardPhrases are what no text of a command says, each with what to say instead.
func hardPhrases() []phrase {
	return []phrase{
		{regexp.MustCompile(`(?i)\babsent:|\bwhen absent\b|\b0: none\b|; absent\b`), `"Defaults to …" or "Omit to …"`},
		{regexp.MustCompile(`(?i)\bswitch(es|ed)? (it |them )?(on|off)\b`), `"enable" or "disable"`},
		{regexp.MustCompile(`(?i)\bways? (in|into|back in)\b`), `"sign-in method"`},
		{regexp.MustCompile(`(?i)\bwhat is told\b|\bis told\b|\bare told\b`), `"is notified" or "is reported"`},
		{regexp.MustCompile(`(?i)\bwho may\b`), `who it is, such as "administrators", or "can"`},
		{regexp.MustCompile(`(?i)\bthat of the\b|\bthose of the\b|\bthe one before\b|\bthose there are\b`), "the name of the thing"},
		{regexp.MustCompile(`(?i)\bwhich is the most\b`), `"limit reached"`},
		{regexp.MustCompile(`^(Who|Whoever|What|Of those|Of these)\b`), "a noun phrase"},
		{regexp.MustCompile(`(?i)\be-mail`), `"email"`},
	}
}

type phrase struct {
	not     *regexp.Regexp
	instead string
}

// catalogFile is what the check reads of a golden file of the catalog.
type catalogFile struct {
	Commands []struct {
		Name        string `json:"name"`
		Summary     string `json:"summary"`
		Description string `json:"description"`
		Params      any    `json:"params_schema"`
		Result      any    `json:"result_schema"`
	} `json:"commands"`
}

func TestTextsOfCommands(t *testing.T) {
	t.Parallel()
	dir := root(t)
	texts := map[string]string{}
	for p, text := range readable(t, os.DirFS(dir), projectFiles(t, dir)) {
		if strings.HasPrefix(p, "test/golden/catalog/") {
			texts[p] = text
		}
	}
	report(t, checkTexts(t, texts))
}

// checkTexts looks at the texts of commands in golden files.
func checkTexts(t *testing.T, files map[string]string) []string {
	t.Helper()
	var problems []string
	for _, p := range slices.Sorted(maps.Keys(files)) {
		var file catalogFile
		if err := json.Unmarshal([]byte(files[p]), &file); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for _, c := range file.Commands {
			for _, wrong := range wrongSummary(c.Summary) {
				problems = append(problems, fmt.Sprintf("%s: the summary %s: %q", c.Name, wrong, c.Summary))
			}
			all := descriptions(c.Params, descriptions(c.Result, []string{c.Summary, c.Description}))
			for _, text := range all {
				for _, wrong := range wrongText(text) {
					problems = append(problems, fmt.Sprintf("%s: %s: %q", c.Name, wrong, text))
				}
			}
		}
	}
	return slices.Compact(problems)
}

// wrongSummary says what is wrong with the form of a summary.
func wrongSummary(text string) []string {
	var wrong []string
	if n := utf8.RuneCountInString(text); n > longestSummary {
		wrong = append(wrong, fmt.Sprintf("has %d characters, at most %d are allowed", n, longestSummary))
	}
	if strings.ContainsAny(text, ";:") || strings.Contains(strings.TrimSuffix(text, "."), ". ") {
		wrong = append(wrong, "is more than one sentence: move the rest to the description")
	}
	first, _, _ := strings.Cut(text, " ")
	if slices.Contains([]string{"The", "A", "An", "One", "All", "What", "Who", "Of", "By", "Whether"}, first) {
		wrong = append(wrong, "does not begin with a verb")
	}
	return wrong
}

var sentenceEnd = regexp.MustCompile(`[.!?:]\s|\n`)

// wrongText says what is wrong with the words of a text.
func wrongText(text string) []string {
	var wrong []string
	for _, one := range hardPhrases() {
		if found := one.not.FindString(text); found != "" {
			wrong = append(wrong, fmt.Sprintf("%q: say %s", found, one.instead))
		}
	}
	for _, sentence := range sentenceEnd.Split(text, -1) {
		if n := len(strings.Fields(sentence)); n > longestSentence {
			wrong = append(wrong, fmt.Sprintf("a sentence has %d words, at most %d are allowed", n, longestSentence))
		}
	}
	return wrong
}

// descriptions appends the descriptions in a JSON Schema.
func descriptions(schema any, found []string) []string {
	switch s := schema.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if text, is := s[name].(string); is && name == "description" {
				found = append(found, text)
				continue
			}
			found = descriptions(s[name], found)
		}
	case []any:
		for _, one := range s {
			found = descriptions(one, found)
		}
	}
	return found
}

func TestTextCheckFindsHardTexts(t *testing.T) {
	t.Parallel()
	found := checkTexts(t, map[string]string{"door.json": `{"commands": [
		{"name": "DOOR.OPEN", "family": "DOOR", "summary": "Open a door.", "params_schema": {"properties": {"description": {"description": "Defaults to 24."}}}},
		{"name": "DOOR.LONG", "family": "DOOR", "summary": "Open a door, which is ` + strings.Repeat("very ", 20) + `long."},
		{"name": "DOOR.TWO", "family": "DOOR", "summary": "Open a door; it closes."},
		{"name": "DOOR.NOUN", "family": "DOOR", "summary": "The door."},
		{"name": "DOOR.WORDS", "family": "DOOR", "summary": "Open a door.", "result_schema": {"items": [{"description": "Hours; absent: 24."}]}},
		{"name": "DOOR.WINDED", "family": "DOOR", "summary": "Open a door.", "description": "` + strings.Repeat("word ", 31) + `"}]}`})
	wantProblems(t, found, "DOOR.LONG", "DOOR.TWO", "DOOR.NOUN", "DOOR.WORDS", "DOOR.WINDED")
}

// british matches spellings that US English does not have.
var british = regexp.MustCompile(`(?i)\b\w*(licence|catalogue|colour|behaviour|neighbour|honour|recognis|normalise|customis|synchronis|summaris|anonymis|cancelled|travelled|judgement|enrolment)\w*`)

// spelledSo are files that keep a spelling because it is stored, sent by others, or the former name of something.
func spelledSo() []string {
	return []string{
		"domain/label/label.go", "domain/challenge/challenge.go", "adapters/payment/", "adapters/pages/licenses.go", "ports/outbound/ops/upkeep.go", "migrations/",
		"adapters/pages/vending_test.go", "test/family/operations/system_purge_expired_test.go", "test/fake/", "test/golden/", "test/arch/texts_test.go",
	}
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	dir := root(t)
	report(t, checkSpelling(readable(t, os.DirFS(dir), projectFiles(t, dir))))
}

func checkSpelling(texts map[string]string) []string {
	var problems []string
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		kept := func(beginning string) bool { return strings.HasPrefix(p, beginning) }
		if slices.ContainsFunc(spelledSo(), kept) || path.Ext(p) == ".svg" {
			continue
		}
		for i, line := range strings.Split(texts[p], "\n") {
			if found := british.FindString(line); found != "" {
				problems = append(problems, fmt.Sprintf("%s:%d says %s, which is not US English", p, i+1, found))
			}
		}
	}
	return problems
}

func TestSpellingCheckFindsBritishWords(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkSpelling(map[string]string{
		"domain/a/a.go": "package a // a licence", "README.md": "the colour", "domain/b/b.go": "package b // a license", "migrations/0001.sql": "licence",
	}), "domain/a/a.go", "README.md")
}
