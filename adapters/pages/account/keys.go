package account

import (
	"slices"
	"strconv"
	"time"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// keysData is the data of the API keys page.
type keysData struct {
	Keys []client.APIKey
	// Made is a key that was just created; its secret is shown once.
	Made *kit.Kept
	More string
}

func (v *visit) keys() error {
	held, err := v.Me().APIKeyList(v.Context(), client.APIKeyListParams{Status: new(client.APIKeyStatusActive), Cursor: client.Given(v.Cursor())})
	if err != nil {
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
	all, err := v.Me().PermissionList(v.Context(), client.PermissionListParams{})
	if err != nil {
		return err
	}
	opening := slices.DeleteFunc(all.Items, func(s client.Permission) bool { return !slices.Contains(s.Callers, "api_key") })
	return v.Show("newkey", "New API key", kit.ByResource(opening, who.Scopes))
}

func (v *visit) createKey() error {
	scopes := v.Form.Values["scopes"]
	if scopes == nil {
		scopes = []string{}
	}
	p := client.APIKeyCreateParams{Name: v.Form.Text("name"), Scopes: scopes}
	if days, err := strconv.Atoi(v.Form.Text("days")); err == nil && days > 0 {
		p.ExpiresAt = new(v.Site.Clock.Now().UTC().AddDate(0, 0, days).Truncate(time.Second))
	}
	made, err := v.Me().APIKeyCreate(v.Context(), p)
	if err != nil {
		return v.Retry(err, v.newKey, "name", "scopes")
	}
	v.State.Shown = &kit.Shown{Key: made.Key, Name: v.Form.Text("name")}
	return v.Redirect("/account/keys")
}

func (v *visit) revokeKey() error {
	if _, err := v.Me().APIKeyRevoke(v.Context(), client.APIKeyRevokeParams{KeyID: v.Form.Text("id")}); err != nil {
		return v.Retry(err, v.keys)
	}
	return v.Done("The API key was revoked and no longer works.", "/account/keys")
}
