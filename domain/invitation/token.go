package invitation

// Token is what the challenge behind a mailed link holds: which invitation it is for, and
// which of its mails it came with.
type Token struct {
	ID    ID  `json:"id"`
	Round int `json:"round"`
}
