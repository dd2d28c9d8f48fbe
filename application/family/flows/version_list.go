package flows

import (
	"context"
	"strconv"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
)

// VersionListParams are the parameters of FLOW.VERSION_LIST.
type VersionListParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
	page.Params
}

// Version is a version of a flow in results.
type Version struct {
	Version   int       `json:"version" doc:"Version number."`
	Author    string    `json:"author" doc:"Author of the version: the ID of an account, or the client_id of an app."`
	CreatedAt time.Time `json:"created_at" doc:"Time at which the version was created."`
	Changes   []string  `json:"changes" doc:"Changes from the previous version."`
}

func (s *Service) versionList() command.Definition {
	return command.Define(command.Spec[VersionListParams, page.Of[Version]]{
		Name:    "FLOW.VERSION_LIST",
		Summary: "List the stored versions of a flow, newest first, with their changes.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p VersionListParams) (page.Of[Version], error) {
			found, err := s.find(ctx, call.Caller, p.ScopeParams, p.Name, 0)
			if err != nil {
				return page.Of[Version]{}, err
			}
			list := s.Cursors.List("FLOW.VERSION_LIST|"+found.ID.String(), p.Params)
			return page.Read(list, func(v flow.Version) string { return strconv.Itoa(v.Number) }, showVersion,
				func(after string, most int) ([]flow.Version, error) {
					below, _ := strconv.Atoi(after)
					return s.Directory.Versions(ctx, found.ID, below, most)
				})
		},
	})
}

func showVersion(v flow.Version) Version {
	return Version{Version: v.Number, Author: v.Author, CreatedAt: v.CreatedAt, Changes: v.Changes}
}
