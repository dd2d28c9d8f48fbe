package kit

import "gatehouse.internal/adapters/client"

// Provider is an upstream identity provider.
type Provider struct{ Name, Label string }

// Named returns providers with their labels.
func Named(providers []string) []Provider {
	labels := map[string]string{"google": "Google", "github": "GitHub", "discord": "Discord"}
	shown := make([]Provider, 0, len(providers))
	for _, name := range providers {
		label := labels[name]
		if label == "" {
			label = name
		}
		shown = append(shown, Provider{name, label})
	}
	return shown
}

// Offered returns the enabled login methods, or a default selection if they cannot be
// determined.
func (v *Visit) Offered() client.AuthMethodListResult {
	found, err := v.Anyone().AuthMethodList(v.Context(), client.AuthMethodListParams{})
	if err != nil {
		return client.AuthMethodListResult{Methods: []string{"password", "passkey", "code"}, PublicRegistration: true}
	}
	return found
}

// Callback is the response of a provider.
type Callback struct{ Provider, Code, State, RedirectURI string }

// Callback returns a provider's response, or false if it has none.
func (v *Visit) Callback(back string) (Callback, bool) {
	query := v.Request.URL.Query()
	if query.Get("error") != "" || query.Get("code") == "" {
		return Callback{}, false
	}
	return Callback{v.Request.PathValue("provider"), query.Get("code"), query.Get("state"), back}, true
}

// NotThere is the message where a provider responds with an error.
const NotThere = "Signing in with this provider failed or was canceled. Try again."
