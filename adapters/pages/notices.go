package pages

import notices "gatehouse.internal/domain/notice"

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
	var held list[notice]
	if err := v.call("NOTIFICATION.LIST", params{}.text("cursor", v.r.URL.Query().Get("cursor")), &held); err != nil {
		return err
	}
	data := noticesData{Notices: held.Items, More: held.NextCursor}
	for _, one := range held.Items {
		if one.ReadAt.IsZero() {
			data.Unread++
		}
	}
	return v.show("notices", "Security notices", data)
}

func (v *visit) readNotices() error {
	if err := v.call("NOTIFICATION.MARK_READ", params{"all": true}, nil); err != nil {
		return v.retry(err, (*visit).notices)
	}
	return v.redirect("/account/notices")
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
	return v.show("preferences", "Email settings", shown)
}

// ownPreferences returns the preferences in the order in which kinds are listed
// everywhere.
func (v *visit) ownPreferences() ([]preference, error) {
	var held struct {
		Preferences map[notices.Kind]bool `json:"preferences"`
	}
	if err := v.call("NOTIFICATION.PREFERENCE_GET", nil, &held); err != nil {
		return nil, err
	}
	var shown []preference
	for _, kind := range notices.All() {
		if on, known := held.Preferences[kind.Kind]; known {
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
			wanted[one.Kind] = v.form.Has("mail", one.Kind)
		}
	}
	if err := v.call("NOTIFICATION.PREFERENCE_SET", params{"preferences": wanted}, nil); err != nil {
		return v.retry(err, (*visit).preferences)
	}
	return v.done("Saved.", "/account/notices")
}
