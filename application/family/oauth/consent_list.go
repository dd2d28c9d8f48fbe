package oauth

import (
	"context"
	"strings"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
)

var errAppsUsers = fault.New(fault.Denied, "listing the people who consented to an app requires the permission apps:read in its workspace")

// ConsentListParams are the parameters of OAUTH.CONSENT_LIST.
type ConsentListParams struct {
	UserID user.ID `json:"user_id,omitzero" doc:"Return only consents of this person. Defaults to you if you omit app_id as well."`
	AppID  app.ID  `json:"app_id,omitzero" doc:"Return only consents to this app. Requires apps:read in the app's workspace."`
	page.Params
}

// Consent is a consent in lists.
type Consent struct {
	App        ConsentedApp `json:"app" doc:"App the person consented to."`
	UserID     user.ID      `json:"user_id" doc:"ID of the person who consented."`
	Scopes     []string     `json:"scopes" doc:"Scopes the person consented to."`
	GrantedAt  time.Time    `json:"granted_at" doc:"Time of the first consent."`
	LastUsedAt time.Time    `json:"last_used_at" doc:"Time at which the person last consented to new scopes."`
}

// ConsentedApp is an app that was let in.
type ConsentedApp struct {
	ID      app.ID `json:"id" doc:"ID of the app."`
	Slug    string `json:"slug" doc:"The client_id of the app."`
	Name    string `json:"name" doc:"Display name of the app."`
	LogoURL string `json:"logo_url" doc:"URL of the app's logo, or empty."`
}

func (s *Service) consentList() command.Definition {
	return command.Define(command.Spec[ConsentListParams, page.Of[Consent]]{
		Name:    "OAUTH.CONSENT_LIST",
		Summary: "List OAuth consents.",
		Description: "Without parameters, you get the apps that you consented to. With `app_id`, you get the people who consented to an app of the workspace. " +
			"Only superadmins can list the apps of another person.",
		Access: access.User(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ConsentListParams) (page.Of[Consent], error) {
			query, err := s.consentQuery(ctx, call.Caller, p)
			if err != nil {
				return page.Of[Consent]{}, err
			}
			list := s.Cursors.List("OAUTH.CONSENT_LIST|"+query.User.String()+"|"+query.App.String(), p.Params)
			return page.Read(list, consentPosition, shownConsent, func(after string, most int) ([]delegation.ListedConsent, error) {
				person, client, _ := strings.Cut(after, " ")
				query.AfterUser, query.AfterApp, query.Limit = user.ID(person), app.ID(client), most
				return s.Consents.List(ctx, query)
			})
		},
	})
}

// consentQuery decides whose consents the caller may see.
func (s *Service) consentQuery(ctx context.Context, caller access.Caller, p ConsentListParams) (delegation.ConsentQuery, error) {
	query := delegation.ConsentQuery{User: p.UserID, App: p.AppID}
	if p.AppID != "" {
		org, err := caller.Horizon()
		if err == nil {
			_, err = s.Apps.Find(ctx, org, machines.AppKey{ID: p.AppID})
		}
		if err == nil && !caller.May("apps:read") {
			err = errAppsUsers
		}
		return query, err
	}
	if query.User == "" {
		query.User = caller.User
	}
	if query.User != caller.User && !caller.Superadmin {
		return query, user.ErrNotFound
	}
	return query, nil
}

func consentPosition(c delegation.ListedConsent) string {
	return c.UserID.String() + " " + c.AppID.String()
}

func shownConsent(c delegation.ListedConsent) Consent {
	return Consent{
		App: ConsentedApp{ID: c.AppID, Slug: c.Slug, Name: c.Name, LogoURL: c.LogoURL}, UserID: c.UserID, Scopes: c.Scopes,
		GrantedAt: c.GrantedAt, LastUsedAt: c.LastUsedAt,
	}
}
