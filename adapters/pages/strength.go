package pages

import "net/http"

// strengthPath is where the script of a page asks how good a password is.
const strengthPath = "/recover/password/strength"

// strengthSaid is what it is answered.
type strengthSaid struct {
	// Level is from 0 to 4; Words say it.
	Level int    `json:"level"`
	Words string `json:"words"`
	// Taken reports whether the password would be taken.
	Taken bool `json:"taken"`
}

// strength judges a password that somebody is about to choose. It is a hint: where it
// cannot be given at the moment, the script shows none.
func (v *visit) strength() error {
	var judged struct {
		Acceptable bool     `json:"acceptable"`
		Score      int      `json:"score"`
		Reasons    []string `json:"reasons"`
	}
	err := v.ask("AUTH.CHECK_PASSWORD", params{"password": v.form.secret("password")}.text("email", v.form.text("email")), &judged)
	if err != nil {
		v.status = http.StatusUnprocessableEntity
		return v.answerJSON(v.status, strengthSaid{})
	}
	words := []string{"Very easy to guess", "Easy to guess", "Could be better", "Good", "Strong"}
	said := strengthSaid{Level: judged.Score, Words: words[min(max(judged.Score, 0), len(words)-1)], Taken: judged.Acceptable}
	if !judged.Acceptable && len(judged.Reasons) > 0 {
		said.Words = sentence(judged.Reasons[0])
	}
	return v.answerJSON(http.StatusOK, said)
}
