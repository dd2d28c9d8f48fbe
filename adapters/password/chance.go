package password

import (
	"bytes"
	"strings"

	"github.com/trustelem/zxcvbn/frequency"
)

// shortestPattern is the least length of what Chance takes for a pattern: shorter ones
// stand in random texts too.
const shortestPattern = 4

// Chance returns how many characters of a text are in no pattern: no common word, also
// with look-alikes of its letters, no repetition of what stood before, no run of a
// keyboard, and no sequence, also one of every second, third or fourth character. A
// text that was drawn at random has nearly all of its characters left.
func Chance(text string) int {
	lower := []byte(strings.ToLower(text))
	c := chance{text: lower, patterned: make([]bool, len(lower))}
	c.sequences()
	c.repetitions()
	c.contained(keyboardRuns())
	c.words()
	left := 0
	for _, patterned := range c.patterned {
		if !patterned {
			left++
		}
	}
	return left
}

type chance struct {
	text      []byte
	patterned []bool
}

func (c *chance) mark(from, to int) {
	for i := from; i < to; i++ {
		c.patterned[i] = true
	}
}

// sequences marks characters that go on by the same small step, such as abcd, 9753,
// aaaa, and a1b2c3d4.
func (c *chance) sequences() {
	const widest = 4
	for apart := 1; apart <= widest; apart++ {
		for i := range c.text {
			if last := c.sequence(i, apart); last-i >= (shortestPattern-1)*apart {
				for at := i; at <= last; at += apart {
					c.patterned[at] = true
				}
			}
		}
	}
}

// sequence returns where the sequence of characters so far apart ends that begins at i.
func (c *chance) sequence(i, apart int) (last int) {
	const largest = 2
	last = i + apart
	if last >= len(c.text) {
		return i
	}
	step := int(c.text[last]) - int(c.text[i])
	if step < -largest || step > largest {
		return i
	}
	for last+apart < len(c.text) && int(c.text[last+apart])-int(c.text[last]) == step {
		last += apart
	}
	return last
}

// repetitions marks what stood in the text before.
func (c *chance) repetitions() {
	for i := 1; i+shortestPattern <= len(c.text); i++ {
		if bytes.Contains(c.text[:i+shortestPattern-1], c.text[i:i+shortestPattern]) {
			c.mark(i, i+shortestPattern)
		}
	}
}

// keyboardRuns returns the rows of keyboards and the usual ways across them.
func keyboardRuns() []string {
	return []string{
		"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn",
		"!@#$%^&*()_+", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "zaq1xsw2cde3vfr4bgt5nhy6mju7ki8lo9p0",
		"qazwsxedcrfvtgbyhnujmikolp", "qweasdzxc", "789456123",
	}
}

// contained marks what is part of longer texts, forwards or backwards.
func (c *chance) contained(runs []string) {
	for i := 0; i+shortestPattern <= len(c.text); i++ {
		part := string(c.text[i : i+shortestPattern])
		for _, run := range runs {
			if strings.Contains(run, part) || strings.Contains(run, backwards(part)) {
				c.mark(i, i+shortestPattern)
			}
		}
	}
}

func backwards(text string) string {
	turned := make([]byte, 0, len(text))
	for i := len(text) - 1; i >= 0; i-- {
		turned = append(turned, text[i])
	}
	return string(turned)
}

// words marks common words and names, in the text as it is and with look-alikes read as
// letters. All readings have their characters where the text has them.
func (c *chance) words() {
	readings := make([]string, 0, 3)
	readings = append(readings, string(c.text))
	for _, one := range []string{"l", "i"} {
		alike := strings.NewReplacer("0", "o", "1", one, "!", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t")
		readings = append(readings, alike.Replace(string(c.text)))
	}
	var begins beginnings
	for _, reading := range readings {
		for i := 0; i+shortestPattern <= len(reading); i++ {
			begins.add(reading[i:])
		}
	}
	for _, words := range frequency.FrequencyLists {
		for _, word := range words {
			if len(word) < shortestPattern || !begins.has(word) {
				continue
			}
			for _, reading := range readings {
				c.word(reading, word)
			}
		}
	}
}

// word marks a word wherever it stands.
func (c *chance) word(reading, word string) {
	for from := 0; ; {
		at := strings.Index(reading[from:], word)
		if at < 0 {
			return
		}
		c.mark(from+at, from+at+len(word))
		from += at + 1
	}
}

// beginnings is a set of the first shortestPattern bytes of texts. It has more than
// were added, which saves most of the 100,000 words a search and costs few one.
type beginnings [1 << 14]bool

func (*beginnings) place(text string) int {
	place := uint(0)
	for i := range shortestPattern {
		place = place*31 + uint(text[i])
	}
	return int(place % (1 << 14))
}

func (b *beginnings) add(text string)      { b[b.place(text)] = true }
func (b *beginnings) has(text string) bool { return b[b.place(text)] }
