// Package docs serves the guides and the reference at /docs. The guides are the
// Markdown files of this folder; the reference is generated from the command
// descriptors.
package docs

import (
	"embed"
	"errors"
	"html/template"
	"net/http"
	"path"
	"strings"

	"gatehouse.internal/ports/inbound"
)

// Path is the path prefix of the handler.
const Path = "/docs"

//go:embed *.md style.css frame.html
var embedded embed.FS

// contentPolicy allows style sheets and images of the same origin only.
const contentPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handbook is the documentation. Every field is required.
type Handbook struct {
	Catalog func() []inbound.Descriptor
	Kinds   func() []inbound.KindDescriptor
	// Nodes returns the types of flow nodes.
	Nodes   func() []inbound.NodeDescriptor
	Version string
}

// Handler returns the handler of Path and everything below it. Pages are rendered on
// first use, to save memory in instances that do not show them. It fails if a template
// or guide is invalid.
func (h Handbook) Handler() (http.Handler, error) {
	if h.Catalog == nil || h.Kinds == nil || h.Nodes == nil {
		return nil, errors.New("docs: Catalog, Kinds and Nodes are required")
	}
	frame, err := template.New("").Funcs(template.FuncMap{"markdown": Markdown}).ParseFS(embedded, "frame.html")
	if err != nil {
		return nil, err
	}
	s := &shelf{handbook: h, frame: frame, guides: newGuides()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, s.index)
	mux.HandleFunc("GET "+Path+"/{$}", s.index)
	mux.HandleFunc("GET "+Path+"/style.css", style)
	mux.HandleFunc("GET "+Path+"/commands", s.families)
	mux.HandleFunc("GET "+Path+"/commands/{family}", s.family)
	mux.HandleFunc("GET "+Path+"/events", s.events)
	mux.HandleFunc("GET "+Path+"/nodes", s.nodes)
	mux.HandleFunc("GET "+Path+"/{guide}", s.guide)
	mux.HandleFunc(Path+"/", s.missing)
	return mux, nil
}

// shelf serves the pages.
type shelf struct {
	handbook Handbook
	frame    *template.Template
	guides   guides
}

// page is the data of the frame.
type page struct {
	Title   string
	Version string
	// Here is the path of the page, marked in the navigation.
	Here   string
	Guides []guide
	Body   template.HTML
}

func (s *shelf) show(w http.ResponseWriter, r *http.Request, status int, title string, body template.HTML) {
	header := w.Header()
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	// The client may have disconnected; there is nobody to report the error to.
	_ = s.frame.ExecuteTemplate(w, "frame", page{
		Title: title, Version: s.handbook.Version, Here: strings.TrimSuffix(r.URL.Path, "/"), Guides: s.guides.all, Body: body,
	})
}

func (s *shelf) index(w http.ResponseWriter, r *http.Request) {
	s.section(w, r, "index")
}

func (s *shelf) guide(w http.ResponseWriter, r *http.Request) {
	s.section(w, r, strings.TrimSuffix(r.PathValue("guide"), ".md"))
}

func (s *shelf) section(w http.ResponseWriter, r *http.Request, name string) {
	found, known := s.guides.named(name)
	if !known {
		s.missing(w, r)
		return
	}
	body, err := found.body()
	if err != nil {
		http.Error(w, "this guide cannot be shown", http.StatusInternalServerError)
		return
	}
	s.show(w, r, http.StatusOK, found.Title, body)
}

func (s *shelf) missing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this path accepts only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	s.show(w, r, http.StatusNotFound, "Not found",
		`<h1>Not found</h1><p>This page does not exist. Start with the <a href="`+Path+`">guides</a>.</p>`)
}

func style(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, embedded, path.Base(r.URL.Path))
}
