package relation

import "strings"

// signs are the tokens of the DSL that are no words.
const signs = "[](){},:#*<>"

// lexer takes the DSL apart.
type lexer struct {
	rest string
	line int
	// fresh reports whether the input follows white space or the start: only there a #
	// begins a comment.
	fresh bool
}

// next returns the next token, "" at the end, and its line.
func (l *lexer) next() (token string, line int) {
	for {
		l.blank()
		if !l.fresh || !strings.HasPrefix(l.rest, "#") {
			break
		}
		_, after, _ := strings.Cut(l.rest, "\n")
		l.take(len(l.rest) - len(after))
	}
	if l.rest == "" {
		return "", l.line
	}
	l.fresh = false
	if strings.Contains(signs, l.rest[:1]) {
		return l.take(1), l.line
	}
	end := strings.IndexAny(l.rest, signs+" \t\r\n")
	if end < 0 {
		end = len(l.rest)
	}
	return l.take(end), l.line
}

// blank skips white space.
func (l *lexer) blank() {
	after := strings.TrimLeft(l.rest, " \t\r\n")
	if len(after) < len(l.rest) {
		l.take(len(l.rest) - len(after))
		l.fresh = true
	}
}

// take consumes some bytes and returns them.
func (l *lexer) take(n int) string {
	taken := l.rest[:n]
	l.rest = l.rest[n:]
	l.line += strings.Count(taken, "\n")
	if strings.HasSuffix(taken, "\n") {
		l.fresh = true
	}
	return taken
}

// body returns the text before the matching closing brace; braces in strings and
// comments of the expression do not count.
func (l *lexer) body() (text string, closed bool) {
	depth := 1
	for i := 0; i < len(l.rest); i++ {
		switch c := l.rest[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '"' || c == '\'':
			i += quoted(l.rest[i:], c)
		case strings.HasPrefix(l.rest[i:], "//"):
			i += strings.IndexByte(l.rest[i:]+"\n", '\n')
		}
		if depth == 0 {
			text = l.take(i)
			l.take(1)
			return text, true
		}
	}
	return "", false
}

// quoted is how many bytes follow the first of a text in quotes, to its last.
func quoted(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return len(text)
}
