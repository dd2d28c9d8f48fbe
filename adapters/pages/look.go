package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"gatehouse.internal/domain/branding"
)

// look is the name, the colors and the rest of what pages take from a workspace or
// the instance, as BRANDING.GET answers it.
type look struct {
	Name         string           `json:"name"`
	Logo         branding.LogoURL `json:"logo_url"`
	Colors       branding.Colors  `json:"colors"`
	SupportEmail string           `json:"support_email"`
}

// look asks for the look of a page: on those of an account that of its workspace.
// Where it cannot be told at the moment, the built-in one does.
func (v *visit) look() look {
	if v.looks == nil {
		found := v.askLook()
		v.looks = &found
	}
	return *v.looks
}

func (v *visit) askLook() (found look) {
	if v.section() != "" && v.call("BRANDING.GET", nil, &found) == nil {
		return found
	}
	if v.ask("BRANDING.GET", nil, &found) == nil {
		return found
	}
	builtin := branding.Builtin()
	return look{Name: string(builtin.Name), Colors: builtin.Colors}
}

// Stylesheet returns the address of the colors.
func (l look) Stylesheet() string { return assetPath + stylesheetName(l.Colors) }

// Where the stylesheet of a look is. All that it holds is in its name, so that every
// replica can write it.
const (
	stylesheetPrefix = "look."
	stylesheetSuffix = ".css"
)

func stylesheetName(c branding.Colors) string {
	digits := strings.ReplaceAll(string(c.Primary+c.Background+c.PrimaryDark+c.BackgroundDark), "#", "")
	return stylesheetPrefix + digits + "." + stylesheetEdition() + stylesheetSuffix
}

// stylesheetEdition changes with the rules of the stylesheet.
func stylesheetEdition() string {
	const enough = 4
	sum := sha256.Sum256([]byte(stylesheet(branding.Builtin().Colors)))
	return hex.EncodeToString(sum[:enough])
}

// colorsOf reads the name of a stylesheet; false when it is none.
func colorsOf(name string) (branding.Colors, bool) {
	var c branding.Colors
	digits := strings.TrimPrefix(name, stylesheetPrefix)
	for _, into := range []*branding.Color{&c.Primary, &c.Background, &c.PrimaryDark, &c.BackgroundDark} {
		const long = len("rrggbb")
		if len(digits) < long || into.UnmarshalText([]byte("#"+digits[:long])) != nil {
			return c, false
		}
		digits = digits[long:]
	}
	return c, name == stylesheetName(c)
}

// paper is what app.css lays over the ground of a page, and the texts on it.
type paper struct{ surface, ink, soft branding.Color }

// stylesheet sets the colors as app.css reads them. Texts in them and on them are
// legible, whatever they are.
func stylesheet(c branding.Colors) string {
	const dark = "@media (prefers-color-scheme:dark){%s}\n"
	return shades(c.Primary, c.Background, paper{"#ffffff", "#14172a", "#575d75"}) +
		fmt.Sprintf(dark, shades(c.PrimaryDark, c.BackgroundDark, paper{"#171a27", "#eceef7", "#a3aac2"}))
}

func shades(primary, ground branding.Color, on paper) string {
	const rule = ":root{--accent:%s;--on-accent:%s;--link:%s;--ground:%s;--ink-on-ground:%s;--soft-on-ground:%s;--link-on-ground:%s}\n"
	return fmt.Sprintf(rule, primary, primary.Ink(), primary.On(on.surface), ground, on.ink.On(ground), on.soft.On(ground), primary.On(ground))
}
