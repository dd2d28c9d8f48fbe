package pages

import (
	"strconv"
	"time"
)

// sentInvitation is an invitation of the workspace.
type sentInvitation struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	Status    string    `json:"status"`
	SentAt    time.Time `json:"sent_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Pending reports whether the invitation can still be accepted.
func (i sentInvitation) Pending() bool { return i.Status == "pending" }

// invitationsData is the data of the list of invitations.
type invitationsData struct {
	workspaceSection

	Items []sentInvitation
	More  string
	// All reports whether the list includes invitations that have ended.
	All bool
}

func (v *visit) invitations() error {
	in, err := v.workspaceSection(invitationsTab)
	if err != nil {
		return err
	}
	data := invitationsData{workspaceSection: in, All: v.r.URL.Query().Get("all") != ""}
	p := params{}.text("cursor", v.cursor())
	if !data.All {
		p["status"] = "pending"
	}
	var held list[sentInvitation]
	if err := v.act("TEAM.INVITATION_LIST", p, &held); err != nil {
		return err
	}
	data.Items, data.More = held.Items, held.NextCursor
	return v.show("invitations", "Invitations", data)
}

// invitationForm is the data of the form to invite somebody.
type invitationForm struct {
	workspaceSection

	Roles []string
}

func (v *visit) newInvitation() error {
	in, err := v.workspaceForm(invitationsTab, "members:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	return v.show("invite", "Invite member", invitationForm{workspaceSection: in, Roles: all.within(in.Scopes).names()})
}

func (v *visit) invite() error {
	p := params{"email": v.form.text("email"), "role": v.form.text("role")}.text("message", v.form.text("message"))
	if days, err := strconv.Atoi(v.form.text("days")); err == nil {
		p["expires_in_days"] = days
	}
	var sent struct {
		Invitation sentInvitation `json:"invitation"`
	}
	if err := v.act("TEAM.INVITE", p, &sent); err != nil {
		return v.retry(err, (*visit).newInvitation, "email", "role", "message")
	}
	return v.done("The invitation was sent to "+sent.Invitation.Email+".", workspacesPath+"/invitations")
}

func (v *visit) resendInvitation() error {
	if err := v.act("TEAM.INVITATION_RESEND", params{"invitation_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).invitations)
	}
	return v.done("The invitation was sent again. The previous link no longer works.", workspacesPath+"/invitations")
}

// askInvitation asks for confirmation before an invitation is revoked.
func (v *visit) askInvitation() error {
	in, err := v.workspaceSection(invitationsTab)
	if err != nil {
		return err
	}
	for next := ""; ; {
		var held list[sentInvitation]
		if err := v.act("TEAM.INVITATION_LIST", params{"status": "pending", "limit": mostListed}.text("cursor", next), &held); err != nil {
			return err
		}
		for _, one := range held.Items {
			if one.ID == v.r.PathValue("id") {
				return v.show("question", "Revoke this invitation?", question{
					Name: one.Email, Text: "The link in the email stops working.", Org: in.Org,
					Action: workspacesPath + "/invitations/revoke", Field: "id", Value: one.ID, Button: "Revoke", Back: workspacesPath + "/invitations",
				})
			}
		}
		if next = held.NextCursor; next == "" {
			return errNoPage
		}
	}
}

func (v *visit) revokeInvitation() error {
	if err := v.act("TEAM.INVITATION_REVOKE", params{"invitation_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).invitations)
	}
	return v.done("The invitation was revoked.", workspacesPath+"/invitations")
}
