package door

import (
	"errors"
	"net/http"
	"net/url"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
)

// invitationData is the data of the invitation page.
type invitationData struct {
	client.TeamInvitationGetResult

	Token string
	// Valid reports whether the invitation can be accepted. Me is the address of the
	// person signed in, or empty.
	Valid bool
	Me    string
	// Back is the address of this page, to return to after signing in or up.
	Back string
}

// invitation shows the invitation of a token. It is accepted by a form rather than by
// GET, because mail scanners follow links.
func (v *visit) invitation() error {
	offer := invitationData{Token: v.Request.URL.Query().Get("token"), Valid: true}
	if v.Request.Method == http.MethodPost {
		offer.Token = v.Form.Secret("token")
	}
	var err error
	if offer.TeamInvitationGetResult, err = v.Anyone().TeamInvitationGet(v.Context(), client.TeamInvitationGetParams{Token: offer.Token}); err != nil {
		if !errors.Is(err, invitation.ErrGone) && !kit.RefusedAs(err, fault.Validation) {
			return err
		}
		offer.Valid = false
	}
	offer.Back = kit.InvitationPath + "?token=" + url.QueryEscape(offer.Token)
	if offer.Valid && v.Tokens.Access != "" && len(v.Tokens.Actions) == 0 {
		me, err := v.Profile()
		if err != nil && !v.Ended(err) {
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
	joined, err := v.Me().TeamInvitationAccept(v.Context(), client.TeamInvitationAcceptParams{Token: v.Form.Secret("token")})
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
	if offer, err := v.Anyone().TeamInvitationGet(v.Context(), client.TeamInvitationGetParams{Token: token}); err == nil {
		v.Pending.Org, v.Pending.Hint = offer.Organization.ID, offer.Email
	}
}
