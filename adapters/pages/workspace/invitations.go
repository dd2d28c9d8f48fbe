package workspace

import (
	"strconv"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// sentInvitation is an invitation of the workspace.
type sentInvitation struct{ client.TeamInvitation }

// Pending reports whether the invitation can still be accepted.
func (i sentInvitation) Pending() bool { return i.Status == client.TeamInvitationStatusPending }

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
	data := invitationsData{workspaceSection: in, All: v.Request.URL.Query().Get("all") != ""}
	p := client.TeamInvitationListParams{Cursor: client.Given(v.Cursor()), OrgID: v.Org()}
	if !data.All {
		p.Status = new(client.TeamInvitationStatusPending)
	}
	held, err := v.Me().TeamInvitationList(v.Context(), p)
	if err != nil {
		return err
	}
	data.Items, data.More = kit.Map(held.Items, func(one client.TeamInvitation) sentInvitation { return sentInvitation{one} }), held.NextCursor
	return v.Show("invitations", "Invitations", data)
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
	return v.Show("invite", "Invite member", invitationForm{workspaceSection: in, Roles: all.within(in.Scopes).names()})
}

func (v *visit) invite() error {
	p := client.TeamInviteParams{Email: v.Form.Text("email"), Role: v.Form.Text("role"), Message: client.Given(v.Form.Text("message")), OrgID: v.Org()}
	if days, err := strconv.Atoi(v.Form.Text("days")); err == nil {
		p.ExpiresInDays = new(days)
	}
	sent, err := v.Me().TeamInvite(v.Context(), p)
	if err != nil {
		return v.Retry(err, v.newInvitation, "email", "role", "message")
	}
	return v.Done("The invitation was sent to "+sent.Invitation.Email+".", kit.WorkspacesPath+"/invitations")
}

func (v *visit) resendInvitation() error {
	if _, err := v.Me().TeamInvitationResend(v.Context(), client.TeamInvitationResendParams{InvitationID: v.Form.Text("id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.invitations)
	}
	return v.Done("The invitation was sent again. The previous link no longer works.", kit.WorkspacesPath+"/invitations")
}

// askInvitation asks for confirmation before an invitation is revoked.
func (v *visit) askInvitation() error {
	in, err := v.workspaceSection(invitationsTab)
	if err != nil {
		return err
	}
	for next := ""; ; {
		held, err := v.Me().TeamInvitationList(v.Context(), client.TeamInvitationListParams{Status: new(client.TeamInvitationStatusPending), Limit: new(kit.MostListed), Cursor: client.Given(next), OrgID: v.Org()})
		if err != nil {
			return err
		}
		for _, one := range held.Items {
			if one.ID == v.Request.PathValue("id") {
				return v.Show("question", "Revoke this invitation?", kit.Question{
					Name: one.Email, Text: "The link in the email stops working.", Org: in.Org,
					Action: kit.WorkspacesPath + "/invitations/revoke", Field: "id", Value: one.ID, Button: "Revoke", Back: kit.WorkspacesPath + "/invitations",
				})
			}
		}
		if next = held.NextCursor; next == "" {
			return kit.ErrNoPage
		}
	}
}

func (v *visit) revokeInvitation() error {
	if _, err := v.Me().TeamInvitationRevoke(v.Context(), client.TeamInvitationRevokeParams{InvitationID: v.Form.Text("id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.invitations)
	}
	return v.Done("The invitation was revoked.", kit.WorkspacesPath+"/invitations")
}
