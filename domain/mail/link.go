package mail

import "net/url"

// Address is where the link leads, with the handle of its challenge: a page of
// the service, whose public address host is, or an address that was checked.
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
