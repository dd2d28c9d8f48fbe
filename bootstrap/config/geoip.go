package config

import (
	"errors"

	"gatehouse.internal/adapters/geoip"
	"gatehouse.internal/adapters/system"
)

// GeoIPConfig configures the location of addresses.
type GeoIPConfig struct {
	// GeoIPFiles are MaxMind database files, such as of cities and of autonomous
	// systems; none disables locations.
	GeoIPFiles []string `env:"GEOIP_DB"`
}

func (c *GeoIPConfig) checkGeoIP() error {
	if _, err := geoip.Open(c.GeoIPFiles, system.Clock{}, nil); err != nil {
		return errors.New("GEOIP_DB is not a readable MaxMind file: set it to the path of an .mmdb file, or to several paths separated by commas")
	}
	return nil
}
