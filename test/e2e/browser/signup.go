package browser

import (
	"gatehouse.internal/test/e2e/instance"
)

// Register makes an account by the page.
func (w *Tab) Register(p instance.Person) *Tab {
	w.T.Helper()
	w.Open("/signup").Fill("Name", "Ada Lovelace").Fill("Email address", p.Email).Fill("Password", p.Password)
	return w.Press("Create account").At("/account")
}
