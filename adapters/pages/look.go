package pages

import (
	"fmt"
	"net/url"
	"strconv"
)

// Look is what a workspace may make of the pages.
type Look struct {
	// Name stands in titles and beside the logo.
	Name string
	// Accent is the one colour of buttons and links on light ground, AccentDark on
	// dark ground, as #rrggbb. Text on them is black or white, whichever reads better.
	Accent, AccentDark string
	// Logo is the address of a picture; empty: the built-in mark.
	Logo string
}

// DefaultLook is that of an instance without a look of its own.
func DefaultLook() Look {
	return Look{Name: "Gatehouse", Accent: "#3a4fd0", AccentDark: "#9db0ff"}
}

// stylesheet sets the colours as the other stylesheet reads them. It fails when
// one is not #rrggbb.
func (l Look) stylesheet() (string, error) {
	light, err := ink(l.Accent)
	if err != nil {
		return "", err
	}
	dark, err := ink(l.AccentDark)
	if err != nil {
		return "", err
	}
	const rule = ":root{--accent:%s;--on-accent:%s}\n@media (prefers-color-scheme:dark){:root{--accent:%s;--on-accent:%s}}\n"
	return fmt.Sprintf(rule, l.Accent, light, l.AccentDark, dark), nil
}

// ink is the colour of text on a ground: that with the higher contrast (WCAG 2.2,
// relative luminance; the two are even at 0.179).
func ink(ground string) (string, error) {
	const even = 0.179
	luminance, err := luminance(ground)
	switch {
	case err != nil:
		return "", err
	case luminance > even:
		return "#0b0d17", nil
	default:
		return "#ffffff", nil
	}
}

// luminance approximates the transfer function by a square.
func luminance(colour string) (float64, error) {
	const long = len("#rrggbb")
	if len(colour) != long || colour[0] != '#' {
		return 0, fmt.Errorf("%q is no colour: write it as #rrggbb", colour)
	}
	rgb, err := strconv.ParseUint(colour[1:], 16, 24)
	if err != nil {
		return 0, fmt.Errorf("%q is no colour: write it as #rrggbb", colour)
	}
	part := func(shift uint) float64 {
		level := float64(rgb>>shift&0xff) / 0xff
		return level * level
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0), nil
}

// logoOrigin is where the logo comes from, for the policy of what a page may load.
func (l Look) logoOrigin() (string, error) {
	if l.Logo == "" {
		return "", nil
	}
	parsed, err := url.Parse(l.Logo)
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		return "", fmt.Errorf("the logo %q is no https address", l.Logo)
	}
	return "https://" + parsed.Host, nil
}
