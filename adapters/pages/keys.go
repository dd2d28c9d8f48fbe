package pages

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
)

// keysData is the data of the API keys page.
type keysData struct {
	Keys []apiKey
	// Made is a key that was just created; its secret is shown once.
	Made *kept
	More string
}

func (v *visit) keys() error {
	var held list[apiKey]
	p := params{"status": "active"}.text("cursor", v.r.URL.Query().Get("cursor"))
	if err := v.call("API_KEY.LIST", p, &held); err != nil {
		return err
	}
	data := keysData{Keys: held.Items, More: held.NextCursor}
	if v.state.Shown != nil && v.state.Shown.Key != "" {
		data.Made = v.keptKey(*v.state.Shown)
		v.state.Shown = nil
	}
	return v.show("keys", "API keys", data)
}

// scope is a permission that an API key may have.
type scope struct {
	Name        string   `json:"permission"`
	Description string   `json:"description"`
	Callers     []string `json:"callers"`
}

func (v *visit) newKey() error {
	who, err := v.recent()
	if err != nil {
		return err
	}
	var all list[scope]
	if err := v.call("PERMISSION.LIST", nil, &all); err != nil {
		return err
	}
	opening := slices.DeleteFunc(all.Items, func(s scope) bool { return !slices.Contains(s.Callers, "api_key") })
	return v.show("newkey", "New API key", byResource(opening, who.Scopes))
}

func (v *visit) createKey() error {
	scopes := v.form.values["scopes"]
	if scopes == nil {
		scopes = []string{}
	}
	p := params{"name": v.form.text("name"), "scopes": scopes}
	if days, err := strconv.Atoi(v.form.text("days")); err == nil && days > 0 {
		p["expires_at"] = v.site.Clock.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339)
	}
	var made struct {
		Key string `json:"key"`
	}
	if err := v.call("API_KEY.CREATE", p, &made); err != nil {
		return v.retry(err, (*visit).newKey, "name", "scopes")
	}
	v.state.Shown = &shown{Key: made.Key, Name: v.form.text("name")}
	return v.redirect("/account/keys")
}

func (v *visit) revokeKey() error {
	if err := v.call("API_KEY.REVOKE", params{"key_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).keys)
	}
	return v.done("The API key was revoked and no longer works.", "/account/keys")
}

// resource is a resource and the permissions on it.
type resource struct {
	Name   string
	Scopes []scope
}

// Action returns the action part of a permission.
func (s scope) Action() string {
	_, action, _ := strings.Cut(s.Name, ":")
	return action
}

// byResource groups the held permissions by resource, in the order of all.
func byResource(all []scope, held access.Permissions) []resource {
	var shown []resource
	for _, one := range all {
		if !held.Cover(one.Name) {
			continue
		}
		name, _, _ := strings.Cut(one.Name, ":")
		if len(shown) == 0 || shown[len(shown)-1].Name != name {
			shown = append(shown, resource{Name: name})
		}
		last := &shown[len(shown)-1]
		last.Scopes = append(last.Scopes, one)
	}
	return shown
}
