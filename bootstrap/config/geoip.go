package config

import (
	"errors"

	"gatehouse.internal/adapters/geoip"
	"gatehouse.internal/adapters/system"
)

// GeoIPConfig is where it is read from where addresses are.
type GeoIPConfig struct {
	// GeoIPFiles are the operator's MaxMind files, such as that of cities and that of
	// autonomous systems; none: nothing is known.
	GeoIPFiles []string `env:"GEOIP_DB"`
}

func (c *GeoIPConfig) checkGeoIP() error {
	if _, err := geoip.Open(c.GeoIPFiles, system.Clock{}, nil); err != nil {
		return errors.New("GEOIP_DB names what cannot be read as a MaxMind file: set it to the path of an .mmdb file, or of several, separated by commas")
	}
	return nil
}
