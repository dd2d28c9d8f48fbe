package account

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	notices "gatehouse.internal/domain/notice"
)

// Page returns the page to respond to the notice, or "".
func (n notice) Page() string {
	of, _ := notices.Find(notices.Kind(n.Kind))
	return of.Page()
}

// noticesData is the data of the security notices page.
type noticesData struct {
	Notices []notice
	Unread  int
	More    string
}

// Label says what a page is where somebody answers a notice.
func (noticesData) Label(page string) string {
	if page == supportPath {
		return "Review support access"
	}
	return "Review your sign-ins"
}

func (v *visit) notices() error {
	held, err := v.Me().NotificationList(v.Context(), client.NotificationListParams{Cursor: client.Given(v.Request.URL.Query().Get("cursor"))})
	if err != nil {
		return err
	}
	data := noticesData{Notices: kit.Map(held.Items, func(one client.Notification) notice { return notice{one} }), More: held.NextCursor}
	for _, one := range held.Items {
		if one.ReadAt.IsZero() {
			data.Unread++
		}
	}
	return v.Show("notices", "Security notices", data)
}

func (v *visit) readNotices() error {
	if _, err := v.Me().NotificationMarkRead(v.Context(), client.NotificationMarkReadParams{All: new(true)}); err != nil {
		return v.Retry(err, v.notices)
	}
	return v.Redirect("/account/notices")
}

// preference is a kind of notice and whether it is mailed.
type preference struct {
	Kind  string
	Label string
	On    bool
	Vital bool
}

func (v *visit) preferences() error {
	shown, err := v.ownPreferences()
	if err != nil {
		return err
	}
	return v.Show("preferences", "Email settings", shown)
}

// ownPreferences returns the preferences in the order in which kinds are listed
// everywhere.
func (v *visit) ownPreferences() ([]preference, error) {
	held, err := v.Me().NotificationPreferenceGet(v.Context(), client.NotificationPreferenceGetParams{})
	if err != nil {
		return nil, err
	}
	var shown []preference
	for _, kind := range notices.All() {
		if on, known := held.Preferences[string(kind.Kind)]; known {
			shown = append(shown, preference{Kind: string(kind.Kind), Label: kind.Headline, On: on, Vital: kind.Vital})
		}
	}
	return shown, nil
}

func (v *visit) setPreferences() error {
	held, err := v.ownPreferences()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, one := range held {
		if !one.Vital {
			wanted[one.Kind] = v.Form.Has("mail", one.Kind)
		}
	}
	// The kinds are members of one object, whose names are known here only as values.
	if err := v.Me().Do(v.Context(), "NOTIFICATION.PREFERENCE_SET", map[string]any{"preferences": wanted}, nil); err != nil {
		return v.Retry(err, v.preferences)
	}
	return v.Done("Saved.", "/account/notices")
}

// notice is a security notice.
type notice struct{ client.Notification }
