package instance

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Page is the head of an answer that was read to its end.
type Page struct {
	Status int
	Header http.Header
}

// Fetch asks for a page with some headers, as NAME=value.
func (r *Replica) Fetch(method, path string, headers ...string) (Page, string) {
	r.T.Helper()
	request, err := http.NewRequest(method, r.URL+path, nil)
	if err != nil {
		r.T.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, "=")
		request.Header.Set(name, value)
	}
	response, err := r.Client.Do(request)
	if err != nil {
		r.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.T.Fatalf("%s %s: %v", method, path, err)
	}
	return Page{response.StatusCode, response.Header}, string(body)
}

// Form sends a form and returns the answer.
func (r *Replica) Form(path string, values url.Values, headers ...string) (Page, string) {
	r.T.Helper()
	request, err := http.NewRequest(http.MethodPost, r.URL+path, strings.NewReader(values.Encode()))
	if err != nil {
		r.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Forwarded-For", Address())
	for _, header := range headers {
		name, value, _ := strings.Cut(header, "=")
		request.Header.Set(name, value)
	}
	response, err := r.Client.Do(request)
	if err != nil {
		r.T.Fatalf("POST %s: %v", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.T.Fatalf("POST %s: %v", path, err)
	}
	return Page{response.StatusCode, response.Header}, string(body)
}

// Get reads a public page.
func (r *Replica) Get(path string) string {
	r.T.Helper()
	response, err := r.Client.Get(r.URL + path)
	if err != nil {
		r.T.Fatalf("GET %s: %v", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		r.T.Fatalf("GET %s = %d %s, %v", path, response.StatusCode, body, err)
	}
	return string(body)
}
