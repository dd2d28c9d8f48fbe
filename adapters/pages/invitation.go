package pages

import (
	"errors"
	"net/http"
	"net/url"

	"gatehouse.internal/domain/fault"
)

// invitationPath is where the mail of an invitation leads to.
const invitationPath = "/invitation"

// invitation is what an invitation offers.
type invitation struct {
	Token        string `json:"-"`
	Organization struct {
		Name string `json:"name"`
	} `json:"organization"`
	EmailHint string `json:"email_hint"`
	Role      string `json:"role"`
	InvitedBy string `json:"invited_by"`
	Message   string `json:"message"`
	// Valid reports whether it may still be accepted, Me is who is signed in, if anybody.
	Valid bool   `json:"-"`
	Me    string `json:"-"`
	// Back is this page, for those who sign in or up first.
	Back string `json:"-"`
}

// invitation shows what the token of the address or the form offers. It is accepted by a
// button and not by looking at it, for mail programs look at links as well.
func (v *visit) invitation() error {
	offer := invitation{Token: v.r.URL.Query().Get("token"), Valid: true}
	if v.r.Method == http.MethodPost {
		offer.Token = v.form.secret("token")
	}
	if err := v.ask("TEAM.INVITATION_GET", params{"token": offer.Token}, &offer); err != nil {
		failure, isFault := errors.AsType[*fault.Error](err)
		if !isFault || (failure.Code != fault.NotFound && failure.Code != fault.Validation) {
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

// acceptInvitation leads who is not signed in to where they can, and back.
func (v *visit) acceptInvitation() error {
	back := withReturn("/login", invitationPath+"?token="+url.QueryEscape(v.form.secret("token")))
	switch {
	case v.tokens.Access == "":
		return v.redirect(back)
	case len(v.tokens.Actions) > 0:
		return errUnfinished
	}
	var joined invitation
	err := v.call("TEAM.INVITATION_ACCEPT", params{"token": v.form.secret("token")}, &joined)
	if v.ended(err) {
		v.tokens = tokens{}
		return v.wrong("You were signed out. Please sign in again.", back)
	}
	if err != nil {
		return v.retry(err, (*visit).invitation)
	}
	return v.done("You belong to "+joined.Organization.Name+" now.", workspacesPath)
}

// guestToken returns the token of the invitation that somebody wants to return to once they
// have signed up, or "".
func (v *visit) guestToken() string {
	to, err := url.Parse(v.state.ReturnTo)
	if err != nil || to.Path != invitationPath {
		return ""
	}
	return to.Query().Get("token")
}
