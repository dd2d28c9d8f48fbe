// Package pages is the face of the service for people: server-rendered pages to
// sign up, log in, recover, and look after one's own account. It uses nothing but
// the public commands, called in this process with the browser's address, user
// agent and request id, so that limits, refusals and events are those of any other
// client.
//
// # Decision: the browser keeps the tokens, sealed
//
// Context: any replica may answer the next request, and a page needs an access
// token and a refresh token. Choice: a cookie holds both, sealed under a key
// derived from JWT_SECRET, out of reach of scripts. It is the handle of a session
// that the store already has, which is asked on every request; a second table of
// browser sessions would be written and looked up as well, and could disagree.
// What would change our mind: tokens that no longer fit into 4,096 bytes.
//
// # Decision: three cookies
//
// Context: two tabs may answer at the same moment, and the last cookie written
// wins. Choice: tokens stand in a cookie that is written only when they change, so
// that a tab which was slow never puts back a refresh token that another one has
// replaced. What a page remembers for the next one (the login that is under way,
// what was done) stands in another. That of a remembered device outlives both.
//
// # Decision: forms first, one script
//
// Context: passkeys need a script, nothing else does. Choice: every page is HTML
// and forms; one script fills a hidden field of a form with what an authenticator
// answered. Challenges are fetched when the script asks for one, so that a page
// which nobody uses stores nothing. Starting at an upstream provider is a link and
// no form, because browsers hold redirects of forms to form-action.
//
// # Decision: pages of a workspace are those of the active one
//
// Context: a session acts in one workspace, and another tab may have gone elsewhere
// since a page was shown. Choice: addresses name no workspace and show the active one, so
// that a link means the same to everybody who gets it; forms carry the workspace that they were shown for,
// and are executed there (visit.act). What somebody may not do is judged beforehand by what
// ROLE.LIST and their own permissions tell (rights), and not offered; commands have the last
// word. What would change our mind: people who work in two workspaces side by side.
//
// # Decision: pages for development are part of the site
//
// Context: who tries the service out wants its mails, its superadmin and its commands a
// click away, and none of that must exist in production. Choice: routes and assets that
// are there only when Site.Dev is set, which bootstrap does in development alone. They
// answer by names of this machine and of the instance alone, since pages of other sites
// can lead a browser here under names of theirs. Commands are run by the server, so that
// tokens stay out of reach of scripts, and forms made of schemas work without any.
//
// # Decision: two guards against other sites
//
// Context: a form of another site must change nothing, nor log somebody into an
// account that is not theirs. Choice: what the browser says about the origin of a
// request (http.CrossOriginProtection), and a token in each form that is bound to
// the cookie of the browser. The first fails where a browser says nothing, the
// second where a sibling domain plants cookies and the __Host- prefix is missing.
package pages
