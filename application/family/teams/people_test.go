package teams_test

import (
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

// member makes an account that belongs to a workspace, and is active there.
func member(h *harness.Service, root *harness.Actor, org, email, role string) *harness.Actor {
	made := root.Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": org, "role": role}).OK()
	a := entered(h, email, org)
	a.UserID = made.String("user.id")
	return a
}

// entered is a new session of somebody in a workspace.
func entered(h *harness.Service, email, org string) *harness.Actor {
	pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password, "org_id": org}).OK()
	a := h.With(pair.String("access_token"))
	who := a.Do("AUTH.WHOAMI", nil).OK()
	a.UserID, a.OrgID, a.SessionID, a.RefreshToken = who.String("subject"), who.String("org_id"), who.String("session_id"), pair.String("refresh_token")
	return a
}

// founded is a workspace that somebody makes, and them in it.
func founded(h *harness.Service, email, name string) *harness.Actor {
	h.SignUp(email)
	org := h.Login(email, harness.Password).Do("TEAM.CREATE", P{"name": name}).OK().String("organization.id")
	return entered(h, email, org)
}
