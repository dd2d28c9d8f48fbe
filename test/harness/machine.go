package harness

// Machine registers an app in the actor's workspace, grants it scopes, and acts by a
// token that has them.
func (a *Actor) Machine(slug string, scopes ...string) *Actor {
	a.h.t.Helper()
	made := a.Do("APP.REGISTER", P{"name": slug, "slug": slug, "description": "", "redirect_urls": []string{}}).OK()
	a.Do("APP.SCOPE_GRANT", P{"app_id": made.String("app.id"), "scopes": scopes}).OK()
	token := a.h.Anonymous().Do("M2M.TOKEN", P{"client_id": slug, "client_secret": made.String("api_key"), "scopes": scopes})
	return a.h.With(token.OK().String("access_token"))
}
