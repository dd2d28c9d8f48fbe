package licenses

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/crypt"
)

// checkoutDescription describes LICENSE.OFFLINE_CHECKOUT.
const checkoutDescription = "The file lets the machine use the license without a network.\n" +
	"Until the file expires, the machine stays active without heartbeats. On a floating license, it also holds a seat.\n\n" +
	"The file cannot be revoked: it stays valid until it expires, whatever happens to the license. It never outlives the license " +
	"and its grace period.\n\n" +
	"Identify the license by its key, which needs no sign-in, or by its ID."

// file signs the file that a validation hands out; it returns "" where there is none.
func (s *Service) file(ctx context.Context, of license.State, machine license.Fingerprint) (secret.Shown, error) {
	until := of.FileUntil(s.now())
	if until.IsZero() {
		return "", nil
	}
	says, err := s.says(ctx, of, machine, until)
	if err != nil {
		return "", err
	}
	return s.signed(ctx, says)
}

// says returns what a file says that ends then.
func (s *Service) says(ctx context.Context, of license.State, machine license.Fingerprint, until time.Time) (file license.File, err error) {
	var left []license.Transfer
	if of.Moved {
		left, err = s.Licenses.Left(ctx, of.License.ID, s.now())
	}
	file = license.FileOf(of.License.Giving(of.Sold), machine, left, until, s.now())
	file.Issuer, file.Product = s.Issuer, of.Product
	return file, err
}

// signed signs a file.
func (s *Service) signed(ctx context.Context, file license.File) (secret.Shown, error) {
	key, err := s.fileKey(ctx)
	if err != nil {
		return "", err
	}
	payload, err := strictjson.Encode(file)
	if err != nil {
		return "", fmt.Errorf("encode a license file: %w", err)
	}
	return key.Sign(license.FileType, payload)
}

// fileKey returns the key that signs files. The first file of an instance makes it.
func (s *Service) fileKey(ctx context.Context) (crypt.SigningKey, error) {
	if key := s.Instance.State().Keys.Signing(signingkey.EdDSA); key != nil {
		return key, nil
	}
	var active signingkey.Key
	err := s.Unit.Do(ctx, func(tx Repos) error {
		ring, err := tx.Keys.Load(ctx)
		if err != nil {
			return err
		}
		var there bool
		if active, there = ring.ActiveOf(signingkey.EdDSA); there {
			return nil
		}
		if err := s.Maker.FoundFiles(ring, signingkey.EdDSA); err != nil {
			return err
		}
		active, _ = ring.ActiveOf(signingkey.EdDSA)
		return tx.Keys.Save(ctx, ring)
	})
	if err != nil {
		return nil, err
	}
	return s.Maker.JOSE.Load(active.KID, string(active.Algorithm), active.Private)
}
