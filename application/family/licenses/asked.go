package licenses

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/limit"
)

// How often anybody may ask in a minute from one address, where the programs of a whole
// office may be, and by one key (contract section 10).
const (
	askedPerMinute = 6000
	askedByKey     = 600
)

// asked returns the limits of what anybody asks by a key.
func asked() []limit.Spec {
	return []limit.Spec{limit.PerMinute(limit.IP, askedPerMinute), limit.PerMinute(limit.Token, askedByKey)}
}

// counted counts a call by the key that it names, however that is written and whether it
// was ever handed out or not. What has not the form of a key counts by its address alone.
func counted(key string) (command.Subject, error) {
	canonical, ok := license.ReadKey(key)
	if !ok {
		return command.Subject{}, nil
	}
	return command.Subject{Counted: canonical}, nil
}
