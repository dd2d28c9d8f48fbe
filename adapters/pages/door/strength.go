package door

import (
	"net/http"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// strengthPath is the endpoint of the password strength meter.
const strengthPath = "/recover/password/strength"

// strengthRating is its response.
type strengthRating struct {
	// Level is the strength from 0 to 4, and Words describes it.
	Level int    `json:"level"`
	Words string `json:"words"`
	// Taken reports whether the password would be accepted.
	Taken bool `json:"taken"`
}

// strength rates a new password. If it cannot, the script shows no rating.
func (v *visit) strength() error {
	judged, err := v.Anyone().AuthCheckPassword(v.Context(), client.AuthCheckPasswordParams{Password: v.Form.Secret("password"), Email: client.Given(v.Form.Text("email"))})
	if err != nil {
		v.Status = http.StatusUnprocessableEntity
		return v.AnswerJSON(v.Status, strengthRating{})
	}
	words := []string{"Very easy to guess", "Easy to guess", "Could be better", "Good", "Strong"}
	said := strengthRating{Level: judged.Score, Words: words[min(max(judged.Score, 0), len(words)-1)], Taken: judged.Acceptable}
	if !judged.Acceptable && len(judged.Reasons) > 0 {
		said.Words = kit.Sentence(judged.Reasons[0])
	}
	return v.AnswerJSON(http.StatusOK, said)
}
