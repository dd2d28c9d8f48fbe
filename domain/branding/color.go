package branding

import (
	"cmp"
	"encoding/hex"
	"math"
	"strings"

	"gatehouse.internal/domain/fault"
)

// Colors are the colors for light and dark mode. Text colors derive from them.
type Colors struct {
	Primary        Color `json:"primary,omitzero" doc:"Color of buttons and links."`
	Background     Color `json:"background,omitzero" doc:"Background color of pages."`
	PrimaryDark    Color `json:"primary_dark,omitzero" doc:"Color of buttons and links in dark mode. Defaults to primary, if that is set."`
	BackgroundDark Color `json:"background_dark,omitzero" doc:"Background color of pages in dark mode."`
}

// Whole returns the colors with the built-in ones for those that were not set.
func (c Colors) Whole() Colors {
	return Colors{
		Primary: cmp.Or(c.Primary, "#3a4fd0"), Background: cmp.Or(c.Background, "#f5f6fa"),
		PrimaryDark: cmp.Or(c.PrimaryDark, c.Primary, "#9db0ff"), BackgroundDark: cmp.Or(c.BackgroundDark, "#0e1019"),
	}
}

// Color is #rrggbb in lower case.
type Color string

var errColor = fault.New(fault.Validation, "must be a color in the form #rrggbb")

// UnmarshalText reads a color.
func (c *Color) UnmarshalText(text []byte) error {
	lower := strings.ToLower(string(text))
	digits, marked := strings.CutPrefix(lower, "#")
	if raw, err := hex.DecodeString(digits); err != nil || !marked || len(raw) != 3 {
		return errColor
	}
	*c = Color(lower)
	return nil
}

// SchemaFragment describes the color in a JSON Schema.
func (Color) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$", "examples": []any{"#3a4fd0"}}
}

// legible is the contrast that texts need (WCAG 2.2, 1.4.3, level AA).
const legible = 4.5

// Ink returns the color of text on this one: black or white, of which one is legible on
// every color.
func (c Color) Ink() Color {
	if c.contrast("#000000") > c.contrast("#ffffff") {
		return "#000000"
	}
	return "#ffffff"
}

// On returns the color where texts in it are legible on a ground, else the ink of that.
func (c Color) On(ground Color) Color {
	if c.contrast(ground) < legible {
		return ground.Ink()
	}
	return c
}

// contrast returns the ratio of two luminances, from 1 to 21 (WCAG 2.2, contrast ratio).
func (c Color) contrast(with Color) float64 {
	const flare = 0.05
	a, b := c.luminance()+flare, with.luminance()+flare
	return max(a, b) / min(a, b)
}

// luminance returns the relative one, from 0 to 1 (WCAG 2.2). What is no color is black.
func (c Color) luminance() float64 {
	raw, err := hex.DecodeString(strings.TrimPrefix(string(c), "#"))
	if err != nil || len(raw) != 3 {
		return 0
	}
	return 0.2126*linear(raw[0]) + 0.7152*linear(raw[1]) + 0.0722*linear(raw[2])
}

// linear returns the share of light of one part of a color in sRGB.
func linear(part byte) float64 {
	share := float64(part) / 0xff
	if share <= 0.04045 {
		return share / 12.92
	}
	return math.Pow((share+0.055)/1.055, 2.4)
}
