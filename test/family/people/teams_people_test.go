package people_test

import (
	"gatehouse.internal/test/harness"
)

// teamMember makes an account that belongs to a workspace, and is active there.
func teamMember(h *harness.Service, root *harness.Actor, org, email, role string) *harness.Actor {
	made := root.Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": org, "role": role}).OK()
	a := teamEntered(h, email, org)
	a.UserID = made.String("user.id")
	return a
}

// teamEntered is a new session of somebody in a workspace.
func teamEntered(h *harness.Service, email, org string) *harness.Actor {
	pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password, "org_id": org}).OK()
	a := h.With(pair.String("access_token"))
	who := a.Do("AUTH.WHOAMI", nil).OK()
	a.UserID, a.OrgID, a.SessionID, a.RefreshToken = who.String("subject"), who.String("org_id"), who.String("session_id"), pair.String("refresh_token")
	return a
}

// founded is a workspace that somebody makes, and them in it.
func founded(h *harness.Service, email, name string) *harness.Actor {
	h.SignUpVerified(email)
	org := h.Login(email, harness.Password).Do("TEAM.CREATE", P{"name": name}).OK().String("organization.id")
	return teamEntered(h, email, org)
}
