package account

import (
	"slices"
	"strconv"
	"time"

	"gatehouse.internal/adapters/pages/kit"
)

// keysData is the data of the API keys page.
type keysData struct {
	Keys []apiKey
	// Made is a key that was just created; its secret is shown once.
	Made *kit.Kept
	More string
}

func (v *visit) keys() error {
	var held kit.List[apiKey]
	p := kit.Params{"status": "active"}.Text("cursor", v.Request.URL.Query().Get("cursor"))
	if err := v.Call("API_KEY.LIST", p, &held); err != nil {
		return err
	}
	data := keysData{Keys: held.Items, More: held.NextCursor}
	if v.State.Shown != nil && v.State.Shown.Key != "" {
		data.Made = v.KeptKey(*v.State.Shown)
		v.State.Shown = nil
	}
	return v.Show("keys", "API keys", data)
}

func (v *visit) newKey() error {
	who, err := v.Recent()
	if err != nil {
		return err
	}
	var all kit.List[kit.Scope]
	if err := v.Call("PERMISSION.LIST", nil, &all); err != nil {
		return err
	}
	opening := slices.DeleteFunc(all.Items, func(s kit.Scope) bool { return !slices.Contains(s.Callers, "api_key") })
	return v.Show("newkey", "New API key", kit.ByResource(opening, who.Scopes))
}

func (v *visit) createKey() error {
	scopes := v.Form.Values["scopes"]
	if scopes == nil {
		scopes = []string{}
	}
	p := kit.Params{"name": v.Form.Text("name"), "scopes": scopes}
	if days, err := strconv.Atoi(v.Form.Text("days")); err == nil && days > 0 {
		p["expires_at"] = v.Site.Clock.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339)
	}
	var made struct {
		Key string `json:"key"`
	}
	if err := v.Call("API_KEY.CREATE", p, &made); err != nil {
		return v.Retry(err, v.newKey, "name", "scopes")
	}
	v.State.Shown = &kit.Shown{Key: made.Key, Name: v.Form.Text("name")}
	return v.Redirect("/account/keys")
}

func (v *visit) revokeKey() error {
	if err := v.Call("API_KEY.REVOKE", kit.Params{"key_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.keys)
	}
	return v.Done("The API key was revoked and no longer works.", "/account/keys")
}

type apiKey struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Prefix     string    `json:"prefix"`
	Scopes     []string  `json:"scopes"`
	Status     string    `json:"status"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	LastUsedAt time.Time `json:"last_used_at"`
}
