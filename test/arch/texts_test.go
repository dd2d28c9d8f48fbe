package arch_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
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

// hardPhrases are what no text says, each with what to say instead. Those that begin with ^ are for
// the texts of commands alone.
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

func TestTextsOfProgramAndGuides(t *testing.T) {
	t.Parallel()
	dir := root(t)
	report(t, checkPhrasesInCode(project(t)))
	report(t, checkPhrasesInFiles(readable(t, os.DirFS(dir), projectFiles(t, dir))))
}

// checkPhrasesInCode looks at the string literals of the program.
func checkPhrasesInCode(all []source) []string {
	var problems []string
	phrases := phrasesAnywhere()
	for _, s := range all {
		if s.test() || top(s.path) == "test" {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if text, is := node.(*ast.BasicLit); is && text.Kind == token.STRING {
				problems = append(problems, phrasesIn(phrases, s.path, s.line(text.Pos()), text.Value)...)
			}
			return true
		})
	}
	return problems
}

// checkPhrasesInFiles looks at pages, mails, guides and the documents at the top.
func checkPhrasesInFiles(texts map[string]string) []string {
	var problems []string
	phrases := phrasesAnywhere()
	for p, text := range texts {
		template := top(p) == "adapters" && (path.Ext(p) == ".html" || path.Ext(p) == ".txt")
		guide := path.Dir(p) == "adapters/pages/docs" && path.Ext(p) == ".md"
		if template || guide || p == "README.md" || p == "CONTRIBUTING.md" {
			problems = append(problems, phrasesIn(phrases, p, 1, text)...)
		}
	}
	return problems
}

// phrasesAnywhere are the hard phrases that are not bound to the beginning of a text.
func phrasesAnywhere() []phrase {
	return slices.DeleteFunc(hardPhrases(), func(one phrase) bool { return strings.HasPrefix(one.not.String(), "^") })
}

// phrasesIn lists the phrases in a text that begins in a line of a file. A phrase may continue in the next line.
func phrasesIn(phrases []phrase, p string, line int, text string) []string {
	var problems []string
	joined := strings.ReplaceAll(text, "\n", " ")
	for _, one := range phrases {
		for _, at := range one.not.FindAllStringIndex(joined, -1) {
			problems = append(problems, fmt.Sprintf("%s:%d: %q: say %s", p, line+strings.Count(text[:at[0]], "\n"), joined[at[0]:at[1]], one.instead))
		}
	}
	return problems
}

func TestPhraseChecksFindHardTexts(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkPhrasesInCode(sources(t, tree(map[string]string{
		"domain/a/a.go":        "package a\n\nvar x = \"tell who may open\"\n",
		"cmd/b/b.go":           "package b\n\nvar x = `\nthe one before`\n",
		"domain/c/c.go":        "package c\n\n// Who may open.\nvar x, y = \"Who opens\", \"Defaults to 24\"\n",
		"domain/a/a_test.go":   "package a_test\n\nvar x = \"who may\"\n",
		"test/harness/door.go": "package harness\n\nvar x = \"who may\"\n",
	}))), "domain/a/a.go:3", "cmd/b/b.go:4")
	wantProblems(t, checkPhrasesInFiles(map[string]string{
		"adapters/pages/a.html":      "<p>Door</p>\n<p>Switch it off.</p>",
		"adapters/mailer/b.txt":      "A way in.",
		"adapters/pages/docs/c.md":   "# Doors\n\nOpen the door and those\nof the house.",
		"adapters/pages/docs/d.md":   "What opens a door",
		"adapters/pages/pages.js":    "who may",
		"README.md":                  "the key is told",
		"CONTRIBUTING.md":            "Your e-mail",
		"adapters/pages/docs/sub.go": "who may",
	}), "adapters/pages/a.html:2", "adapters/mailer/b.txt:1", "adapters/pages/docs/c.md:3", "README.md:1", "CONTRIBUTING.md:1")
}

// british matches spellings that US English does not have.
var british = regexp.MustCompile(`(?i)\b\w*(licence|catalogue|colour|behaviour|neighbour|honour|recognis|normalise|customis|synchronis|summaris|anonymis|cancelled|travelled|judgement|enrolment)\w*`)

// spelledSo are files that keep a spelling because it is stored, sent by others, or the former name of something.
func spelledSo() []string {
	return []string{
		"domain/label/label.go", "domain/challenge/challenge.go", "adapters/payment/", "adapters/client/system.go", "adapters/pages/commerce/licenses.go", "ports/outbound/ops/upkeep.go", "migrations/",
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
