package door

import (
	"errors"
	"net/http"
	"net/url"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
)

// invitationData is the data of the invitation page.
type invitationData struct {
	Token        string `json:"-"`
	Organization struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"organization"`
	Email     string `json:"email"`
	Role      string `json:"role"`
	InvitedBy string `json:"invited_by"`
	Message   string `json:"message"`
	// Valid reports whether the invitation can be accepted. Me is the address of the
	// person signed in, or empty.
	Valid bool   `json:"-"`
	Me    string `json:"-"`
	// Back is the address of this page, to return to after signing in or up.
	Back string `json:"-"`
}

// invitation shows the invitation of a token. It is accepted by a form rather than by
// GET, because mail scanners follow links.
func (v *visit) invitation() error {
	offer := invitationData{Token: v.Request.URL.Query().Get("token"), Valid: true}
	if v.Request.Method == http.MethodPost {
		offer.Token = v.Form.Secret("token")
	}
	if err := v.Ask("TEAM.INVITATION_GET", kit.Params{"token": offer.Token}, &offer); err != nil {
		if !errors.Is(err, invitation.ErrGone) && !kit.RefusedAs(err, fault.Validation) {
			return err
		}
		offer.Valid = false
	}
	offer.Back = kit.InvitationPath + "?token=" + url.QueryEscape(offer.Token)
	if offer.Valid && v.Tokens.Access != "" && len(v.Tokens.Actions) == 0 {
		var me kit.Profile
		if err := v.Call("USER.ME", nil, &me); err != nil && !v.Ended(err) {
			return err
		}
		offer.Me = me.Email
	}
	return v.Show("invitation", "You are invited", offer)
}

// acceptInvitation accepts an invitation, after a login where one is needed.
func (v *visit) acceptInvitation() error {
	back := kit.WithReturn("/login", kit.InvitationPath+"?token="+url.QueryEscape(v.Form.Secret("token")))
	switch {
	case v.Tokens.Access == "":
		return v.Redirect(back)
	case len(v.Tokens.Actions) > 0:
		return kit.ErrUnfinished
	}
	var joined invitationData
	err := v.Call("TEAM.INVITATION_ACCEPT", kit.Params{"token": v.Form.Secret("token")}, &joined)
	if v.Ended(err) {
		v.Tokens = kit.Tokens{}
		return v.Wrong("You were signed out. Please sign in again.", back)
	}
	if err != nil {
		return v.Retry(err, v.invitation)
	}
	v.State.Done = "You are now a member of " + joined.Organization.Name + "."
	return v.EnterWorkspace(joined.Organization.ID, kit.WorkspacesPath)
}

// expectGuest looks up the invitation that a sign-in is for, to fill in its address. One
// that is no longer valid is ignored.
func (v *visit) expectGuest() {
	token := v.InvitationToken()
	if token == "" || v.Pending.Org != "" {
		return
	}
	var offer invitationData
	if v.Ask("TEAM.INVITATION_GET", kit.Params{"token": token}, &offer) == nil {
		v.Pending.Org, v.Pending.Hint = offer.Organization.ID, offer.Email
	}
}
