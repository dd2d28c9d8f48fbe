package kit

// Provider is an upstream identity provider.
type Provider struct{ Name, Label string }

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
func (v *Visit) Offered() ways {
	found := ways{Methods: []string{"password"}}
	if err := v.Ask("AUTH.METHOD_LIST", nil, &found); err != nil {
		return ways{Methods: []string{"password", "passkey", "code"}, PublicRegistration: true}
	}
	return found
}

// ways are the enabled login methods, and whether registration is open.
type ways struct {
	Methods            []string `json:"methods"`
	Providers          []string `json:"providers"`
	PublicRegistration bool     `json:"public_registration"`
}

// CallbackParams returns the parameters of a provider's response, or false if it has none.
func (v *Visit) CallbackParams(back string) (Params, bool) {
	query := v.Request.URL.Query()
	if query.Get("error") != "" || query.Get("code") == "" {
		return nil, false
	}
	return Params{
		"provider": v.Request.PathValue("provider"), "code": query.Get("code"), "redirect_uri": back,
	}.Text("state", query.Get("state")), true
}

const NotThere = "Signing in with this provider failed or was canceled. Try again."
