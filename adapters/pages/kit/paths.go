package kit

import "net/url"

// ConfirmPath is the page to confirm that it is them.
const ConfirmPath = "/account/confirm"

// WorkspacesPath is the list of a person's workspaces.
const WorkspacesPath = "/account/workspaces"

// Account is the page after a login without a return target.
const Account = "/account"

// DevicePath is the verification address of the device flow (RFC 8628 section 3.3).
const DevicePath = "/device"

// DeviceAddress returns the address of the form with a user code.
func DeviceAddress(code string) string {
	return DevicePath + "?" + url.Values{"user_code": {code}}.Encode()
}

// InvitationPath is the address of links in invitation mails.
const InvitationPath = "/invitation"

// WithReturn returns the address of a page that leads back to another one.
func WithReturn(path, to string) string { return path + "?return_to=" + url.QueryEscape(to) }
