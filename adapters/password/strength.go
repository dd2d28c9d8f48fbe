package password

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn"
	"github.com/trustelem/zxcvbn/frequency"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/crypt"
)

// What zxcvbn is given. It tries every substitution of look-alike characters in
// every substring: 72 of them mixed took 137 ms. Within these bounds the worst found
// takes about 10 ms. A cut only ever lowers a score, and 24 characters that nobody
// would guess still score 4.
const (
	maxRunes     = 72
	leetRunes    = "4@8({[<3691!|0$5+7%2"
	maxLeet      = 4
	maxLeetRunes = 24
	maxHints     = 32
	minHint      = 3
	maxHint      = 64
)

// standIns is the number of ASCII control characters that stand in for other runes.
const standIns = 31

// Strength estimates by zxcvbn, and knows all of its lists: the most frequent
// passwords, names and words, and the patterns that stand for others.
type Strength struct{}

var (
	_ crypt.PasswordStrength = Strength{}
	_ crypt.CommonPasswords  = Strength{}
)

// isCommon reports whether a text stands in one of the lists, without case. A word
// that is more frequent in another list is missing from that of passwords, so all are
// read; that takes less than to make a map of them.
func isCommon(text string) bool {
	for _, list := range frequency.FrequencyLists {
		if slices.ContainsFunc(list, func(word string) bool { return len(word) == len(text) && strings.EqualFold(word, text) }) {
			return true
		}
	}
	return false
}

// isPattern reports whether a text is guessed within about the first 1,000 tries
// whoever it belongs to. The lists leave out what the library finds sooner as a
// repetition, a sequence or a word written backwards: 88888888, 87654321, abcdefgh.
func isPattern(text string) bool {
	if utf8.RuneCountInString(text) < shortestPattern {
		return false
	}
	found := guesses(text, nil)
	return found.Score == 0 && len(found.Sequence) > 0
}

// guesses has zxcvbn judge a text. The library compares bytes, so that every rune has to be one. Nothing is found in
// a text that is not valid UTF-8.
func guesses(text string, hints []string) zxcvbn.Result {
	if !utf8.ValidString(text) {
		return zxcvbn.Result{}
	}
	known := make([]string, len(hints))
	for i, hint := range hints {
		known[i] = oneByteRunes(hint)
	}
	return zxcvbn.PasswordStrength(oneByteRunes(text), known)
}

// oneByteRunes replaces each rune beyond ASCII by a control character, which is on no list and no keyboard.
// Repetitions, sequences and known words stay what they are: equal runes have equal stand-ins, neighbors in an
// alphabet neighboring ones, and small letters those of capital ones.
func oneByteRunes(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return 1 + unicode.ToLower(r)%standIns
	}, text)
}

// Common reports whether a password stands in one of the lists. It takes some 100 µs: the
// patterns, which take a hundred times that, are left to Estimate.
func (Strength) Common(plain secret.String) bool { return isCommon(plain.Reveal()) }

// Estimate scores a password from its first characters: 72, or 24 when it mixes
// more than four look-alikes of letters. Hints count as a whole and by their
// words; those of less than 3 characters, and beyond 32 in all, do not.
func (Strength) Estimate(plain secret.String, hints ...string) crypt.Strength {
	text := plain.Reveal()
	judged := cut(text)
	score := guesses(judged, words(hints)).Score
	return crypt.Strength{
		Score:  score,
		Common: isCommon(text) || score == 0 && judged == text && isPattern(text),
	}
}

// cut bounds what zxcvbn sees, at the start of a rune.
func cut(text string) string {
	text = firstRunes(text, maxRunes)
	mixed := 0
	for _, r := range leetRunes {
		if strings.ContainsRune(text, r) {
			mixed++
		}
	}
	if mixed > maxLeet {
		return firstRunes(text, maxLeetRunes)
	}
	return text
}

// firstRunes returns the beginning of a text.
func firstRunes(text string, most int) string {
	count := 0
	for at := range text {
		if count == most {
			return text[:at]
		}
		count++
	}
	return text
}

// words returns the hints and their parts.
func words(hints []string) []string {
	var found []string
	add := func(word string) {
		if len(found) < maxHints && utf8.RuneCountInString(word) >= minHint {
			found = append(found, firstRunes(word, maxHint))
		}
	}
	for _, hint := range hints {
		parts := strings.FieldsFunc(firstRunes(hint, 4*maxHint), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		add(hint)
		for _, part := range parts {
			add(part)
		}
	}
	return found
}
