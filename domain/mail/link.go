package mail

import "net/url"

// Address returns the address of the link with the handle of its challenge: a page of
// the service, whose public address is host, or an address that was validated.
func (l Link) Address(host, handle string) string {
	to, err := url.Parse(l.RedirectURI)
	if err != nil || l.RedirectURI == "" {
		return host + l.Page + "?token=" + url.QueryEscape(handle)
	}
	query := to.Query()
	query.Set("token", handle)
	to.RawQuery = query.Encode()
	return to.String()
}
