package account

import (
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// signInsPath is the page to report unusual logins.
const signInsPath = "/account/sessions/sign-ins"

// signIn is a login attempt of elevated risk.
type signIn struct{ client.RiskAssessment }

// signInsData is the data of the page of unusual logins.
type signInsData struct {
	Items      []signIn
	NextCursor string
}

// Name returns a description of the client.
func (s signIn) Name() string {
	if s.Device == "" {
		return "Unknown device"
	}
	return s.Device
}

// Reasons returns why the risk was elevated.
func (s signIn) Reasons() string {
	reasons := make([]string, len(s.Signals))
	for i, signal := range s.Signals {
		reasons[i] = strings.ReplaceAll(string(signal.Name), "_", " ")
	}
	return strings.Join(reasons, ", ")
}

func (v *visit) signIns() error {
	found, err := v.ownSignIns(v.Request.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	return v.Show("unlike", "Unusual sign-ins", found)
}

// ownSignIns returns those of the person only, even if they may read others.
func (v *visit) ownSignIns(cursor string) (signInsData, error) {
	me, err := v.Profile()
	if err != nil {
		return signInsData{}, err
	}
	found, err := v.Me().RiskAssessmentList(v.Context(), client.RiskAssessmentListParams{UserID: new(me.ID), Cursor: client.Given(cursor)})
	return signInsData{kit.Map(found.Items, func(one client.RiskAssessment) signIn { return signIn{one} }), found.NextCursor}, err
}

// askSignIn asks for confirmation before a login is reported as somebody else's.
func (v *visit) askSignIn() error {
	found, err := v.ownSignIns("")
	if err != nil {
		return err
	}
	for _, one := range found.Items {
		if one.ID != v.Request.PathValue("id") {
			continue
		}
		return v.Show("question", "Report this sign-in?", kit.Question{
			Name: one.Name() + ", " + one.IP,
			Text: "We end its session and forget the device. You then choose a new password, because someone else knows your current one. " +
				"For 30 days, sign-ins from around that address are checked more closely.",
			Action: signInsPath + "/not-mine", Field: "id", Value: one.ID, Button: "It wasn't me", Back: signInsPath,
		})
	}
	return kit.ErrNoPage
}

func (v *visit) ownSignIn() error {
	return v.judgeSignIn(client.RiskAssessmentVerdictMine, "Thanks. The sign-in is marked as yours.")
}

func (v *visit) disownSignIn() error {
	return v.judgeSignIn(client.RiskAssessmentVerdictNotMine, "The sign-in was reported, and its session was ended.")
}

func (v *visit) judgeSignIn(verdict client.RiskAssessmentVerdict, said string) error {
	if _, err := v.Me().RiskFeedbackSubmit(v.Context(), client.RiskFeedbackSubmitParams{AssessmentID: v.Form.Text("id"), Verdict: verdict}); err != nil {
		return v.Retry(err, v.signIns)
	}
	return v.Done(said, signInsPath)
}
