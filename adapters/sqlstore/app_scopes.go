package sqlstore

import (
	"fmt"

	"gatehouse.internal/ports/outbound"
)

// appScopesColumns are the columns of an appScopesRow, of the app a.
const appScopesColumns = `a.scopes, a.scopes_listed, a.scopes_withdrawn, a.scopes_vouched`

// appScopesRow are the scopes of an app as they are stored.
type appScopesRow struct {
	granted            string
	listed             bool
	withdrawn, vouched string
}

func (r *appScopesRow) into() []any {
	return []any{&r.granted, &r.listed, &r.withdrawn, &r.vouched}
}

func (r *appScopesRow) answer() (outbound.AppScopes, error) {
	var lists [3][]string
	for i, text := range []string{r.granted, r.withdrawn, r.vouched} {
		var err error
		if lists[i], err = DecodeList[string](text); err != nil {
			return outbound.AppScopes{}, fmt.Errorf("decode the scopes of an app: %w", err)
		}
	}
	return outbound.AppScopes{Granted: lists[0], Listed: r.listed, Withdrawn: lists[1], Vouched: lists[2]}, nil
}
