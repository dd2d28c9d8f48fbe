package pages

import (
	"errors"
	"net/http"
	"net/url"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
)

// invitationPath is the address of links in invitation mails.
const invitationPath = "/invitation"

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
	offer := invitationData{Token: v.r.URL.Query().Get("token"), Valid: true}
	if v.r.Method == http.MethodPost {
		offer.Token = v.form.secret("token")
	}
	if err := v.ask("TEAM.INVITATION_GET", params{"token": offer.Token}, &offer); err != nil {
		if !errors.Is(err, invitation.ErrGone) && !refusedAs(err, fault.Validation) {
			return err
		}
		offer.Valid = false
	}
	offer.Back = invitationPath + "?token=" + url.QueryEscape(offer.Token)
	if offer.Valid && v.tokens.Access != "" && len(v.tokens.Actions) == 0 {
		var me profile
		if err := v.call("USER.ME", nil, &me); err != nil && !v.ended(err) {
			return err
		}
		offer.Me = me.Email
	}
	return v.show("invitation", "You are invited", offer)
}

// acceptInvitation accepts an invitation, after a login where one is needed.
func (v *visit) acceptInvitation() error {
	back := withReturn("/login", invitationPath+"?token="+url.QueryEscape(v.form.secret("token")))
	switch {
	case v.tokens.Access == "":
		return v.redirect(back)
	case len(v.tokens.Actions) > 0:
		return errUnfinished
	}
	var joined invitationData
	err := v.call("TEAM.INVITATION_ACCEPT", params{"token": v.form.secret("token")}, &joined)
	if v.ended(err) {
		v.tokens = tokens{}
		return v.wrong("You were signed out. Please sign in again.", back)
	}
	if err != nil {
		return v.retry(err, (*visit).invitation)
	}
	v.state.Done = "You are now a member of " + joined.Organization.Name + "."
	return v.enterWorkspace(joined.Organization.ID, workspacesPath)
}

// expectGuest looks up the invitation that a sign-in is for, to fill in its address. One
// that is no longer valid is ignored.
func (v *visit) expectGuest() {
	token := v.invitationToken()
	if token == "" || v.pending.Org != "" {
		return
	}
	var offer invitationData
	if v.ask("TEAM.INVITATION_GET", params{"token": token}, &offer) == nil {
		v.pending.Org, v.pending.Hint = offer.Organization.ID, offer.Email
	}
}

// invitationToken returns the token of the invitation to return to after the login, or "".
func (v *visit) invitationToken() string {
	to, err := url.Parse(v.pending.ReturnTo)
	if err != nil || to.Path != invitationPath {
		return ""
	}
	return to.Query().Get("token")
}
