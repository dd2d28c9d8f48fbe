package browser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Screens is where pictures of all pages go; `make screens` sets it.
var Screens = flag.String("screens", "", "directory for pictures of all pages")

// Mode is a kind of screen.
type Mode struct {
	Name          string
	Width, Height int64
	Dark, Touch   bool
}

// Modes are the kinds of screens that pictures are taken of.
func Modes() []Mode {
	return []Mode{
		{"desktop-light", 1200, 800, false, false},
		{"desktop-dark", 1200, 800, true, false},
		{"phone-light", 390, 844, false, true},
		{"phone-dark", 390, 844, true, true},
	}
}

// Put makes the tab a kind of screen.
func (w *Tab) Put(m Mode) {
	w.T.Helper()
	var options []chromedp.EmulateViewportOption
	if m.Touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	}
	w.Do(chromedp.EmulateViewport(m.Width, m.Height, options...))
	scheme := "light"
	if m.Dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(w.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	w.Must(err)
}

// Picture looks at the page that is shown on every kind of screen: it must fit,
// and what can be used must have a name, and texts must be easy to read. A picture is kept where one is wanted.
func (w *Tab) Picture(name string) {
	w.T.Helper()
	for _, m := range Modes() {
		if *Screens == "" && m.Dark != m.Touch {
			continue // a bright desktop and a dark phone show every width and every color
		}
		w.Put(m)
		faint, err := Evaluate[[]string](w, faintText)
		w.Must(err)
		if len(faint) > 0 {
			w.T.Errorf("%s is hard to read on %s: %s", name, m.Name, strings.Join(faint, "; "))
		}
		vague, err := Evaluate[[]string](w, faintEdges)
		w.Must(err)
		if len(vague) > 0 {
			w.T.Errorf("%s has controls that are hard to see on %s: %s", name, m.Name, strings.Join(vague, "; "))
		}
		over, err := Evaluate[int](w, tooWide)
		w.Must(err)
		if over > 0 {
			w.T.Errorf("%s is %d pixels too wide on %s", name, over, m.Name)
		}
		cut, err := Evaluate[[]string](w, squeezed)
		w.Must(err)
		if len(cut) > 0 {
			w.T.Errorf("%s has filters that do not show their text on %s: %s", name, m.Name, strings.Join(cut, "; "))
		}
		if *Screens == "" {
			continue
		}
		shot, err := chromedp.Run(w.Ctx, chromedp.FullScreenshot(100))
		w.Must(err)
		path := filepath.Join(*Screens, fmt.Sprintf("%s-%s.png", name, m.Name))
		if err := os.WriteFile(path, shot, 0o600); err != nil {
			w.T.Fatal(err)
		}
	}
	w.Put(Modes()[0])
	nameless, err := Evaluate[[]string](w, unnamed)
	w.Must(err)
	if len(nameless) > 0 {
		w.T.Errorf("%s has parts that a screen reader cannot name: %s", name, strings.Join(nameless, "; "))
	}
	w.accessible(name)
}

// tooWide returns how far the page, or a link or button of it, reaches beyond the screen.
const tooWide = `(() => {
	const ends = [...document.querySelectorAll("a, button")].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().right);
	return Math.floor(Math.max(document.documentElement.scrollWidth, ...ends) - document.documentElement.clientWidth);
})()`

// squeezed lists filters of lists that are too narrow for what they say.
const squeezed = `(() => {
	const canvas = document.createElement("canvas").getContext("2d"), arrow = 16;
	return [...document.querySelectorAll(".search input, .search select")].filter(e => {
		const style = getComputedStyle(e), text = e.matches("select") ? e.selectedOptions[0]?.text : e.placeholder;
		canvas.font = style.font;
		const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - (e.matches("select") ? arrow : 0);
		return e.checkVisibility() && canvas.measureText(text || "").width > room;
	}).map(e => e.name);
})()`

// unnamed lists what is used and has no name, and headings that skip a level or
// stand there twice.
const unnamed = `(() => {
	const wrong = [];
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, summary")) {
		if (e.ariaHidden === "true" || !e.checkVisibility()) continue;
		const name = e.ariaLabel || (e.labels?.length ? e.labels[0].innerText : e.innerText) || "";
		if (!name.trim()) wrong.push(e.outerHTML.slice(0, 100));
	}
	for (const e of document.querySelectorAll("img:not([alt])")) wrong.push(e.outerHTML.slice(0, 100));
	if (document.querySelectorAll("h1").length !== 1) wrong.push("not exactly one h1");
	if (!document.querySelector("main")) wrong.push("no main");
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => wrong.push("the id " + id + " twice"));
	return wrong;
})()`

// contrasts are what both scripts below measure by.
const contrasts = `
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const paint = color => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return canvas.getImageData(0, 0, 1, 1).data;
	};
	const painted = {};
	const rgba = color => painted[color] ??= paint(color);
	const luminance = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = e => {
		for (; e; e = e.parentElement) {
			const found = rgba(getComputedStyle(e).backgroundColor);
			if (found[3] === 255) return found;
		}
		return [255, 255, 255];
	};
	const contrast = (x, y) => {
		const [a, b] = [luminance(x), luminance(y)].sort((x, y) => y - x);
		return (a + 0.05) / (b + 0.05);
	};
`

// faintText lists texts whose contrast is below that of WCAG 2.2, level AA.
const faintText = `(() => {` + contrasts + `
	const faint = [];
	for (const e of document.body.querySelectorAll("*")) {
		const said = [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data.trim()).join("");
		if (!said || !e.checkVisibility() || e.closest("svg, noscript")) continue;
		const ratio = contrast(rgba(getComputedStyle(e).color), ground(e));
		const needed = parseFloat(getComputedStyle(e).fontSize) >= 24 ? 3 : 4.5;
		if (ratio < needed) faint.push(said.slice(0, 30) + " " + ratio.toFixed(2));
	}
	return faint;
})()`

// faintEdges lists controls whose edge alone tells them from what is around them, and
// is hard to see (WCAG 2.2, 1.4.11).
const faintEdges = `(() => {` + contrasts + `
	const vague = [];
	for (const e of document.querySelectorAll("button, .button, input:not([type=checkbox]), select, textarea")) {
		const style = getComputedStyle(e), edge = rgba(style.borderTopColor);
		if (!e.checkVisibility() || e.classList.contains("vh") || e === document.activeElement) continue;
		if (parseFloat(style.borderTopWidth) === 0 || edge[3] < 255) continue;
		const ratio = contrast(edge, ground(e.parentElement));
		if (ratio < 3) vague.push((e.innerText || e.name || e.outerHTML).slice(0, 30) + " " + ratio.toFixed(2));
	}
	return vague;
})()`
