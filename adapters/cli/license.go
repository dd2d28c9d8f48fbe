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
	Verify verifyLicenseCommand `cmd:"" help:"Check a license file without network."`
}

// verifyLicenseCommand verifies a license file.
type verifyLicenseCommand struct {
	File    string `arg:"" help:"File of LICENSE.OFFLINE_CHECKOUT; - is standard input."`
	JWKS    string `name:"jwks" required:"true" help:"The keys of the service, as its /.well-known/jwks.json gave them."`
	Product string `help:"Product that the file must be for, by its identifier."`
	Machine string `help:"Machine that the file must be for, by its fingerprint."`
	Issuer  string `help:"Service that must have signed the file, by its address."`
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
		return fmt.Errorf("check the license file: %w", err)
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
		return fmt.Errorf("the license file is by %s", said.Issuer)
	case c.Product != "" && c.Product != said.Audience:
		return fmt.Errorf("the license file is for the product %s", said.Audience)
	case c.Machine != "" && c.Machine != said.Machine:
		return errors.New("the license file is for another machine")
	case now.Unix() < said.NotBefore:
		return errors.New("the license file holds later only: is the clock of this machine right?")
	case now.Unix() >= said.Expires:
		return fmt.Errorf("the license file ended at %s", time.Unix(said.Expires, 0).UTC().Format(time.RFC3339))
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
		return nil, usagef("%s is longer than %d bytes", name, fileLimit)
	}
	return text, nil
}
