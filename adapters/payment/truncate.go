package payment

// Truncate returns the first characters of a text, at most so many.
func Truncate(text string, most int) string {
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most])
	}
	return text
}
