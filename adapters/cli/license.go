package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// fileLimit is the maximum size of a license file and a JWK Set, in bytes.
const fileLimit = 512 << 10

type licenseCommands struct {
	Verify verifyLicenseCommand `cmd:"" help:"Verify a license file offline."`
}

// verifyLicenseCommand verifies a license file.
type verifyLicenseCommand struct {
	File    string `arg:"" help:"License file from LICENSE.OFFLINE_CHECKOUT. Use - for standard input."`
	JWKS    string `name:"jwks" required:"true" help:"File with the public keys of the service, saved from /.well-known/jwks.json."`
	Product string `help:"ID of the product that the license file must be for."`
	Machine string `help:"Fingerprint of the machine that the license file must be for."`
	Issuer  string `help:"URL of the service that must have issued the license file."`
}

// licenseClaims are the verified claims.
type licenseClaims struct {
	Issuer    string `json:"iss"`
	Audience  string `json:"aud"`
	Machine   string `json:"machine"`
	NotBefore int64  `json:"nbf"`
	Expires   int64  `json:"exp"`
}

// Run verifies the signature and the claims, and prints the claims.
func (c verifyLicenseCommand) Run(a *app) error {
	file, err := a.readFile(c.File)
	if err != nil {
		return err
	}
	set, err := a.readFile(c.JWKS)
	if err != nil {
		return err
	}
	claims, err := a.program.VerifyLicense(string(file), set)
	if err != nil {
		return fmt.Errorf("verify the license file: %w", err)
	}
	var said licenseClaims
	if err := json.Unmarshal(claims, &said); err != nil {
		return fmt.Errorf("read the license file: %w", err)
	}
	if err := c.judge(said, a.Now()); err != nil {
		return err
	}
	return a.printf("%s\n", claims)
}

// judge fails if the claims are not valid at a time.
func (c verifyLicenseCommand) judge(said licenseClaims, now time.Time) error {
	switch {
	case c.Issuer != "" && c.Issuer != said.Issuer:
		return fmt.Errorf("the license file was issued by %s", said.Issuer)
	case c.Product != "" && c.Product != said.Audience:
		return fmt.Errorf("the license file is for product %s", said.Audience)
	case c.Machine != "" && c.Machine != said.Machine:
		return errors.New("the license file is for a different machine")
	case now.Unix() < said.NotBefore:
		return errors.New("the license file is not valid yet: check the clock of this machine")
	case now.Unix() >= said.Expires:
		return fmt.Errorf("the license file expired at %s", time.Unix(said.Expires, 0).UTC().Format(time.RFC3339))
	}
	return nil
}

// readFile reads a file or standard input.
func (a *app) readFile(name string) ([]byte, error) {
	from := a.In
	if name != "-" {
		opened, err := os.Open(name) //nolint:gosec // the user of the command names the file
		if err != nil {
			return nil, err //nolint:wrapcheck // the error names the file
		}
		defer opened.Close()
		from = opened
	}
	text, err := io.ReadAll(io.LimitReader(from, fileLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(text) > fileLimit:
		return nil, usagef("%s is larger than %d KiB", name, fileLimit>>10)
	}
	return text, nil
}
