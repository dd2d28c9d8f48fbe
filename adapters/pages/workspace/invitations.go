package workspace

import (
	"strconv"
	"time"

	"gatehouse.internal/adapters/pages/kit"
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
	data := invitationsData{workspaceSection: in, All: v.Request.URL.Query().Get("all") != ""}
	p := kit.Params{}.Text("cursor", v.Cursor())
	if !data.All {
		p["status"] = "pending"
	}
	var held kit.List[sentInvitation]
	if err := v.Act("TEAM.INVITATION_LIST", p, &held); err != nil {
		return err
	}
	data.Items, data.More = held.Items, held.NextCursor
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
	p := kit.Params{"email": v.Form.Text("email"), "role": v.Form.Text("role")}.Text("message", v.Form.Text("message"))
	if days, err := strconv.Atoi(v.Form.Text("days")); err == nil {
		p["expires_in_days"] = days
	}
	var sent struct {
		Invitation sentInvitation `json:"invitation"`
	}
	if err := v.Act("TEAM.INVITE", p, &sent); err != nil {
		return v.Retry(err, v.newInvitation, "email", "role", "message")
	}
	return v.Done("The invitation was sent to "+sent.Invitation.Email+".", kit.WorkspacesPath+"/invitations")
}

func (v *visit) resendInvitation() error {
	if err := v.Act("TEAM.INVITATION_RESEND", kit.Params{"invitation_id": v.Form.Text("id")}, nil); err != nil {
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
		var held kit.List[sentInvitation]
		if err := v.Act("TEAM.INVITATION_LIST", kit.Params{"status": "pending", "limit": kit.MostListed}.Text("cursor", next), &held); err != nil {
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
	if err := v.Act("TEAM.INVITATION_REVOKE", kit.Params{"invitation_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.invitations)
	}
	return v.Done("The invitation was revoked.", kit.WorkspacesPath+"/invitations")
}
