package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// pageTarget is how long a page may take.
const pageTarget = 5 * time.Millisecond

// csrfField is what a form carries.
var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// benchPages measures pages, most of them those of somebody who is logged in.
func benchPages(ctx context.Context, i *instance, o options, r *report) error {
	cookies, err := i.enter(ctx)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	r.printf("\n%s: pages at 1 connection; p50 may be %s\n", i.db.store, millis(pageTarget))
	for _, path := range []string{
		"/login", "/signup", "/recover", "/account", "/account/security", "/account/sessions", "/account/keys", "/account/notices",
	} {
		page := question{path, http.StatusOK, [][]byte{get(path)}}
		if strings.HasPrefix(path, "/account") {
			page.requests = [][]byte{get(path, "Cookie: "+cookies)}
		}
		var took []sample
		for range o.runs {
			one, err := i.alone(ctx, page, o.window/3)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			took = append(took, one)
		}
		got := merge(took)
		r.printf("%-18s %d  p50 %9s  p99 %9s  cpu %7s  %s\n", path, page.want, millis(got.p50), millis(got.p99),
			micros(got.each.server), r.verdict(got.p50 < pageTarget))
	}
	return nil
}

// enter logs a member in by the page for that, and returns the cookies.
func (i *instance) enter(ctx context.Context) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	browser, page := &http.Client{Jar: jar, Timeout: patience}, i.issuer+"/login"
	defer browser.CloseIdleConnections()
	form, err := fetch(ctx, browser, http.MethodGet, page, nil)
	if err != nil {
		return "", err
	}
	token := csrfField.FindSubmatch(form)
	if token == nil {
		return "", errors.New("the page has no form")
	}
	filled := url.Values{"csrf": {string(token[1])}, "email": {adminEmail}, "password": {memberPassword}}
	if _, err := fetch(ctx, browser, http.MethodPost, page, filled); err != nil {
		return "", err
	}
	address, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	var cookies []string
	for _, cookie := range jar.Cookies(address) {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(cookies, "; "), nil
}

// fetch returns the page that a browser ends up at.
func fetch(ctx context.Context, browser *http.Client, method, address string, form url.Values) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, answer.Status)
	}
	return io.ReadAll(answer.Body)
}
