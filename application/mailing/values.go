package mailing

import (
	"context"
	"maps"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/signin"
)

// codeLabel keeps the keyed hashes of mailed codes apart from other blind indexes.

// values returns the values of a mail's template, including a new link or code. It
// fails with errNobody if the challenge of the code no longer exists.
func (d *Delivery) values(ctx context.Context, a addressedMail) (letters.Values, error) {
	values := letters.Values{}
	maps.Copy(values, a.Facts)
	letters.CommonValues{Host: d.Host, Name: a.person.DisplayName, Email: a.to, Proved: a.proved(), Look: a.look}.Fill(values)
	switch {
	case a.Link.Kind != "":
		link, err := d.link(ctx, a)
		if err != nil {
			return nil, err
		}
		values.Link(link, time.Duration(a.Link.Minutes)*time.Minute)
	case a.Challenge != "":
		code, err := d.code(ctx, a)
		if err != nil {
			return nil, err
		}
		values.Code(code, time.Duration(a.CodeMinutes)*time.Minute)
	}
	return values, nil
}

// link opens a challenge and returns the address that ends it. A link to reset a password
// replaces the previous ones that were mailed.
func (d *Delivery) link(ctx context.Context, a addressedMail) (string, error) {
	handle, digest := challenge.NewHandle(d.Random)
	err := d.Unit.Do(ctx, func(tx Repos) error {
		now := d.Clock.Now()
		if a.Link.Kind == challenge.PasswordReset {
			if err := account.DropMailedResets(ctx, tx.Challenges, a.person.ID); err != nil {
				return err
			}
		}
		return tx.Challenges.Open(ctx, challenge.Challenge{
			Digest: digest, Kind: a.Link.Kind, UserID: a.person.ID, Content: a.Link.Content,
			CreatedAt: now, ExpiresAt: now.Add(time.Duration(a.Link.Minutes) * time.Minute),
		})
	})
	if err != nil {
		return "", err
	}
	return a.Link.Address(d.Host, string(handle)), nil
}

// code arms the challenge with a code and returns that.
func (d *Delivery) code(ctx context.Context, a addressedMail) (string, error) {
	code := mail.NewCode(d.Random)
	err := d.Unit.Do(ctx, func(tx Repos) error {
		until := d.Clock.Now().Add(time.Duration(a.CodeMinutes) * time.Minute)
		return tx.Challenges.Arm(ctx, a.Challenge, signin.ArmedCode{
			Hash: d.Blinder.Index(label.ChallengeCode+a.Challenge, code), About: a.person.ID, Until: until,
		})
	})
	return code, gone(err)
}
