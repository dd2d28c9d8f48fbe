package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"gatehouse.internal/domain/terminal"
)

const (
	// browserTimeout is how long a person may take in the browser.
	browserTimeout = 10 * time.Minute
	// lastResponse is how long the last response to the browser may take.
	lastResponse = 5 * time.Second
	// secretSize is the length of a code verifier and of a state, in bytes.
	secretSize = 32
)

var errCanceled = errors.New("the sign-in was canceled in the browser")

// byBrowser signs in with a session of its own, which the person allows on a page of the
// service. With open unset, or without a browser, the person opens the page anywhere and
// copies a code from it. The session enters a workspace, if one is named.
func (a *app) byBrowser(base string, open bool, org string) (challenge, error) {
	base = strings.TrimRight(base, "/")
	if _, err := endpoint(base); err != nil {
		return challenge{}, err
	}
	verifier := randomText()
	sum := sha256.Sum256([]byte(verifier))
	asked := terminal.Request{Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), Machine: machineName(a.Machine)}
	get := a.copiedCode
	if open && a.Browse != nil {
		get = a.handedCode
	}
	code, err := get(base, asked)
	if err != nil {
		return challenge{}, err
	}
	params := map[string]string{"token": code, "code_verifier": verifier}
	if org != "" {
		params["org_id"] = org
	}
	var answer challenge
	if err := a.ask(base, "", "AUTH.PASSWORDLESS_VERIFY", params, &answer); err != nil {
		return challenge{}, err
	}
	if answer.MFARequired {
		return a.secondFactor(base, answer)
	}
	return answer, nil
}

// copiedCode returns the code that the person copies from the page.
func (a *app) copiedCode(base string, asked terminal.Request) (string, error) {
	if a.ReadSecret == nil {
		return "", usagef("--no-browser requires a terminal to enter the code")
	}
	_, _ = fmt.Fprintf(a.Err, "Open this URL in a browser on any machine:\n\n  %s\n\nCheck that the page shows the code %s, then copy the sign-in code from the page.\n",
		pageAddress(base, asked), asked.Words())
	code, err := a.ReadSecret(a.ctx, "Sign-in code: ")
	if err != nil {
		return "", fmt.Errorf("read the code: %w", err)
	}
	return strings.TrimSpace(code), nil
}

// handedCode opens the page and returns the code that the browser hands over on loopback.
func (a *app) handedCode(base string, asked terminal.Request) (string, error) {
	listener, err := listenOnLoopback(a.ctx)
	if err != nil {
		return "", err
	}
	asked.Return, asked.State = "http://"+listener.Addr().String(), randomText()
	codes := make(chan string, 1)
	server := &http.Server{Handler: receiver(asked.State, codes), ReadHeaderTimeout: lastResponse}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), lastResponse)
		defer cancel()
		_ = server.Shutdown(ending)
	}()
	address := pageAddress(base, asked)
	_, _ = fmt.Fprintf(a.Err, "Opening %s\n\nCheck that the page shows the code %s, then continue in the browser.\nIf no browser opens, press Ctrl-C and run gatehouse login --no-browser.\n", address, asked.Words())
	if err := a.Browse(a.ctx, address); err != nil {
		return "", fmt.Errorf("%w: run gatehouse login --no-browser", err)
	}
	waiting, cancel := context.WithTimeout(a.ctx, browserTimeout)
	defer cancel()
	select {
	case <-waiting.Done():
		return "", fmt.Errorf("wait for the browser: %w", waiting.Err())
	case err := <-served:
		return "", fmt.Errorf("wait for the browser: %w", err)
	case code := <-codes:
		if code == "" {
			return "", errCanceled
		}
		return code, nil
	}
}

// listenOnLoopback listens on a free port that no other machine reaches.
func listenOnLoopback(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		listener, err = config.Listen(ctx, "tcp", "[::1]:0")
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	return listener, nil
}

// receiver takes the first code, or "" for a refusal, that comes with the state. Others on
// this machine, and pages in the browser, do not know the state.
func receiver(state string, codes chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, sent := w.Header(), r.URL.Query()
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Type", "text/html; charset=utf-8")
		ours := subtle.ConstantTimeCompare([]byte(sent.Get("state")), []byte(state)) == 1
		if r.Method != http.MethodGet || r.URL.Path != "/" || !ours || sent.Get("code") == "" && sent.Get("error") == "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(plainPage("Sign-in failed", "Run gatehouse login again."))
			return
		}
		select {
		case codes <- sent.Get("code"):
		default: // A code has come already.
		}
		_, _ = w.Write(plainPage("Go back to the terminal", "You can close this page."))
	})
}

func plainPage(title, text string) []byte {
	return []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` +
		title + "</title><h1>" + title + "</h1><p>" + text + "</p></html>\n")
}

func pageAddress(base string, asked terminal.Request) string {
	return base + terminal.Path + "?" + asked.Values().Encode()
}

// randomText returns a secret of 43 characters.
func randomText() string {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) //nolint:forbidigo // the port of randomness belongs to the service; Read never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// machineName returns a host name in the form that the page accepts.
func machineName(host string) string {
	const longest = 64
	name := strings.TrimLeft(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, host), "._-")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), longest)]
}
