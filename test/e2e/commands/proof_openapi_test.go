//go:build proof

package commands_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness/freeport"
)

// toolVersions are installed for the occasion.
func toolVersions() []string {
	return []string{"@redocly/cli@2.77.0", "@stoplight/prism-cli@5.14.2"}
}

// openAPITools installs tools that read OpenAPI, and returns how to run one of them.
func openAPITools(t *testing.T) func(name string, args ...string) *exec.Cmd {
	t.Helper()
	directory := t.TempDir()
	install := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", directory}, toolVersions()...)...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install the tools: %v\n%s", err, out)
	}
	return func(name string, args ...string) *exec.Cmd {
		return exec.Command(filepath.Join(directory, "node_modules", ".bin", name), args...)
	}
}

// Redocly finds no error in the document, and Prism accepts the example of every command.
func TestProofOpenAPIForTools(t *testing.T) {
	run := openAPITools(t)
	raw := instance.Open(t, instance.SQLite()).First().Get("/api/v1/openapi.json")
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run("redocly", "lint", file).CombinedOutput(); err != nil {
		t.Errorf("redocly lint: %v\n%s", err, out)
	}

	port, err := freeport.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mock := run("prism", "mock", "--errors", "--port", fmt.Sprint(port), file)
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Process.Kill(); _ = mock.Wait() })
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	awaitAnswer(t, at)
	for path, body := range examples(t, raw) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer token")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != http.StatusOK {
			t.Errorf("%s with its example: %s", path, response.Status)
		}
	}
}

// awaitAnswer waits until a server answers anything.
func awaitAnswer(t *testing.T, at string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		response, err := http.Get(at)
		if err == nil {
			_ = response.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer: %v", at, err)
		}
	}
}

// examples returns the example body of every command by its path.
func examples(t *testing.T, document string) map[string]json.RawMessage {
	t.Helper()
	var read struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct {
						Example json.RawMessage `json:"example"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(document), &read); err != nil {
		t.Fatal(err)
	}
	found := map[string]json.RawMessage{}
	for path, item := range read.Paths {
		if strings.HasPrefix(path, "/api/v1/execute/") {
			found[path] = item.Post.RequestBody.Content["application/json"].Example
		}
	}
	if len(found) == 0 {
		t.Fatal("the document has no examples")
	}
	return found
}
