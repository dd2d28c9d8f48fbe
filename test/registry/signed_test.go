package registry_test

import (
	"encoding/base64"
	"regexp"

	"gatehouse.internal/test/harness"
)

// compact is the form of a signed artifact: a token, a license file.
var compact = regexp.MustCompile(`([\w-]+\.[\w-]+)\.([\w-]+)`)

// signatures lists the texts of a reply, wherever they stand in it, that verify under a
// key that the instance publishes.
func signatures(h *harness.Service, reply *harness.Reply) (found []string) {
	keys := h.Relay.Instance.State().Keys.Published(h.Clock.Now())
	for _, match := range compact.FindAllStringSubmatch(written(reply), -1) {
		signature, err := base64.RawURLEncoding.DecodeString(match[2])
		for _, key := range keys {
			if err == nil && key.Check([]byte(match[1]), signature) == nil {
				found = append(found, match[0])
			}
		}
	}
	return found
}
