// Package pages serves the web pages of the service: to sign up, log in, recover an
// account, and manage it. It uses nothing but the public commands, called in this
// process with the browser's address, user agent and request ID, so that limits,
// errors and events are those of any other client.
//
// # Decision: rooms over a small kit
//
// Context: one package held all pages, and an administration console adds many more. Choice:
// a room is a package with the pages of one subject. Its visit embeds the one of package kit,
// which has what rooms share: cookies, forms, guards, and how pages look. Rooms do not import
// each other; this package puts them together. They call commands through adapters/client.
//
// # Decision: the browser keeps the tokens, encrypted
//
// Context: any replica may serve the next request, and a page needs an access token and
// a refresh token. Choice: a cookie contains both, encrypted with a key derived from
// JWT_SECRET, inaccessible to scripts. It refers to a session in the store, which is
// checked on every request; a separate table of browser sessions would have to be
// written and read as well, and could become inconsistent. What would change our mind:
// tokens that no longer fit into 4,096 bytes.
//
// # Decision: three cookies
//
// Context: two tabs may receive responses at the same time, and the last cookie written
// wins. Choice: the tokens are in a cookie that is written only when they change, so
// that a slow tab never restores a refresh token that another one has replaced. Messages
// for the next page are in another cookie. The cookie of a remembered device outlives both.
//
// # Decision: a pending sign-in belongs to its tab
//
// Context: people open several tabs, each with a request of an application, a second factor
// or a mailed code in progress; and cookies get lost while a page waits. Choice: what is
// pending travels, encrypted, in the addresses and forms of its tab, and no cookie is needed
// to go on. In the address of a page it is bound to the browser: a link from elsewhere leads
// to the same place, but never continues a login that began there. A mailed link opens in a
// tab of its own, so it continues what the browser asked for last. What would change our
// mind: addresses that become too long for proxies.
//
// # Decision: forms first, one script
//
// Context: passkeys need a script, nothing else does. Choice: every page is HTML with
// forms; one script fills a hidden field of a form with the authenticator's response.
// Challenges are fetched when the script needs one, so that a page view alone stores
// nothing. A login at an upstream provider starts by a link and not by a form, because
// browsers apply form-action to redirects of forms.
//
// # Decision: workspace pages show the active workspace
//
// Context: a session acts in one workspace, and another tab may have switched since a
// page was shown. Choice: addresses name no workspace and show the active one, so that
// links are the same for everybody; forms contain the workspace that they were shown
// for, and are executed there (kit.Visit.Act). Actions that a person is not permitted are
// not offered, judging by ROLE.LIST and their own permissions (rights); the commands
// decide. What would change our mind: people who work in two workspaces side by side.
//
// # Decision: the development pages are part of the site
//
// Context: people who try the service out want quick access to its mails, its superadmin
// and its commands, and none of that must exist in production. Choice: their routes and
// assets exist only if Site.Dev is set, which bootstrap does in development mode only.
// They respond to host names of this machine and of the instance only, which prevents
// DNS rebinding. Commands are executed by the server, so that tokens stay inaccessible
// to scripts, and forms generated from schemas work without any.
//
// # Decision: two defenses against cross-site requests
//
// Context: a form of another site must change nothing, nor sign anybody in to another
// account. Choice: the Origin and Sec-Fetch-Site headers (http.CrossOriginProtection),
// and a token in each form that is bound to a cookie. The first fails if a browser sends
// neither header, the second if a sibling domain sets cookies and the prefix __Host- is
// missing. The token of an account's form is bound to the session it was shown to. To sign
// in, headers that prove the same origin suffice, since the cookie may be gone.
package pages
