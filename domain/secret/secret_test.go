package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gatehouse.internal/domain/secret"
)

func TestNeverShown(t *testing.T) {
	t.Parallel()
	const plain = "hunter2"
	type holder struct{ Secret secret.String }
	held := holder{secret.New(plain)}
	encoded, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "a", held.Secret, "b", secret.Shown(plain))
	for name, text := range map[string]string{
		"%v": fmt.Sprintf("%v", held), "%+v": fmt.Sprintf("%+v", held), "%#v": fmt.Sprintf("%#v", held), "%s": fmt.Sprintf("%s", held),
		"JSON": string(encoded), "log": logged.String(),
		"shown %v": fmt.Sprintf("%v", secret.Shown(plain)), "shown %#v": fmt.Sprintf("%#v", secret.Shown(plain)),
	} {
		if strings.Contains(text, plain) {
			t.Errorf("%s shows the secret: %s", name, text)
		}
	}
	if held.Secret.Reveal() != plain {
		t.Error("Reveal() lost the secret")
	}
}
