package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/branding"
)

// Look is the name, colors and logo of a workspace or the instance.
type Look struct {
	Name         string
	Logo         branding.LogoURL
	Colors       branding.Colors
	SupportEmail string
}

// Look returns the branding of a page: that of the workspace on account pages, else
// that of the instance, and the built-in one if the lookup fails.
func (v *Visit) Look() Look {
	if v.branding == nil {
		found := v.askLook()
		v.branding = &found
	}
	return *v.branding
}

func (v *Visit) askLook() Look {
	if v.section() != "" {
		if found, err := v.Me().BrandingGet(v.Context(), client.BrandingGetParams{}); err == nil {
			return lookOf(found)
		}
	}
	if found, err := v.Anyone().BrandingGet(v.Context(), client.BrandingGetParams{}); err == nil {
		return lookOf(found)
	}
	builtin := branding.Builtin()
	return Look{Name: string(builtin.Name), Colors: builtin.Colors}
}

func lookOf(found client.BrandingGetResult) Look {
	return Look{Name: found.Name, Logo: branding.LogoURL(found.LogoURL), SupportEmail: found.SupportEmail, Colors: branding.Colors{
		Primary: branding.Color(found.Colors.Primary), Background: branding.Color(found.Colors.Background),
		PrimaryDark: branding.Color(found.Colors.PrimaryDark), BackgroundDark: branding.Color(found.Colors.BackgroundDark),
	}}
}

// Stylesheet returns the address of the stylesheet with the colors.
func (l Look) Stylesheet() string { return assetPath + stylesheetName(l.Colors) }

// The name of a branding stylesheet encodes all of its content, so any replica can
// serve it.
const (
	stylesheetPrefix = "look."
	stylesheetSuffix = ".css"
)

func stylesheetName(c branding.Colors) string {
	digits := strings.ReplaceAll(string(c.Primary+c.Background+c.PrimaryDark+c.BackgroundDark), "#", "")
	return stylesheetPrefix + digits + "." + stylesheetEdition() + stylesheetSuffix
}

// stylesheetEdition returns a digest that changes with the rules of the stylesheet.
func stylesheetEdition() string {
	const enough = 4
	sum := sha256.Sum256([]byte(stylesheet(branding.Builtin().Colors)))
	return hex.EncodeToString(sum[:enough])
}

// colorsOf parses the name of a stylesheet; it returns false if the name is invalid.
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

// surfaces is the surface color of app.css and the text colors on it.
type surfaces struct{ surface, ink, soft branding.Color }

// stylesheet returns the stylesheet with the variables that app.css uses. Text colors
// are adjusted to be legible on any color.
func stylesheet(c branding.Colors) string {
	const dark = "@media (prefers-color-scheme:dark){%s}\n"
	return shades(c.Primary, c.Background, surfaces{"#ffffff", "#14172a", "#575d75"}) +
		fmt.Sprintf(dark, shades(c.PrimaryDark, c.BackgroundDark, surfaces{"#171a27", "#eceef7", "#a3aac2"}))
}

func shades(primary, ground branding.Color, on surfaces) string {
	const rule = ":root{--accent:%s;--on-accent:%s;--link:%s;--ground:%s;--ink-on-ground:%s;--soft-on-ground:%s;--link-on-ground:%s}\n"
	return fmt.Sprintf(rule, primary, primary.Ink(), primary.On(on.surface), ground, on.ink.On(ground), on.soft.On(ground), primary.On(ground))
}
