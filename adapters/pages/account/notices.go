package account

import (
	"time"

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
	var held kit.List[notice]
	if err := v.Call("NOTIFICATION.LIST", kit.Params{}.Text("cursor", v.Request.URL.Query().Get("cursor")), &held); err != nil {
		return err
	}
	data := noticesData{Notices: held.Items, More: held.NextCursor}
	for _, one := range held.Items {
		if one.ReadAt.IsZero() {
			data.Unread++
		}
	}
	return v.Show("notices", "Security notices", data)
}

func (v *visit) readNotices() error {
	if err := v.Call("NOTIFICATION.MARK_READ", kit.Params{"all": true}, nil); err != nil {
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
	var held struct {
		Preferences map[notices.Kind]bool `json:"preferences"`
	}
	if err := v.Call("NOTIFICATION.PREFERENCE_GET", nil, &held); err != nil {
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
			wanted[one.Kind] = v.Form.Has("mail", one.Kind)
		}
	}
	if err := v.Call("NOTIFICATION.PREFERENCE_SET", kit.Params{"preferences": wanted}, nil); err != nil {
		return v.Retry(err, v.preferences)
	}
	return v.Done("Saved.", "/account/notices")
}

type notice struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Headline  string    `json:"headline"`
	Message   string    `json:"message"`
	Device    string    `json:"device"`
	IP        string    `json:"ip"`
	CreatedAt time.Time `json:"created_at"`
	ReadAt    time.Time `json:"read_at"`
}
