package oauth

import (
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
)

// Client is a client as people are shown it.
type Client struct {
	ClientID  string     `json:"client_id" doc:"The client_id of the app."`
	Name      string     `json:"name" doc:"Display name of the app."`
	LogoURL   string     `json:"logo_url" doc:"URL of the app's logo, or empty."`
	PolicyURL string     `json:"policy_url" doc:"URL of the app's privacy policy, or empty."`
	TermsURL  string     `json:"terms_url" doc:"URL of the app's terms of service, or empty."`
	Origin    string     `json:"origin" doc:"Destination of the response, as a source of form-action in a Content-Security-Policy."`
	Domain    string     `json:"domain" doc:"Destination of the response: its host, or the scheme of a native app."`
	OnDevice  string     `json:"on_device,omitzero" doc:"Full redirect URL, if it leads to an app on the device: through the loopback interface or a private-use scheme."`
	Vouched   app.Origin `json:"vouched_by,omitzero" doc:"Origin of a client that nobody in a workspace vouches for. open: it registered itself under a name of its choice. document: it is known only by the URL that is its client_id."`
}

// clientAt shows a client to which a browser goes back at an address, if any.
func clientAt(of *app.Snapshot, address string) *Client {
	shown := &Client{ClientID: of.Slug, Name: of.Name, LogoURL: of.LogoURL, PolicyURL: of.PolicyURL, TermsURL: of.TermsURL, Vouched: of.Origin}
	if address != "" {
		shown.Domain, shown.Origin = oauth.Domain(address), oauth.Origin(address)
		if app.OnDevice(address) {
			shown.OnDevice = address
		}
	}
	return shown
}
