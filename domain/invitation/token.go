package invitation

// Token is the content of the challenge of a mailed link: the invitation, and the round
// of the mail.
type Token struct {
	ID    ID  `json:"id"`
	Round int `json:"round"`
}
