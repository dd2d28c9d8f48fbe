package kit

import "gatehouse.internal/adapters/client"

// Outcome is the result of a login.
type Outcome = client.AuthLoginResult

// Profile is the account of a person.
type Profile = client.UserMeResult

// MostListed is the maximum number of items in a page of a list.
const MostListed = 200

// Fact is a named value of an event or of a flow's context.
type Fact struct{ Name, Value string }

// Map returns the results of a function for all items.
func Map[T, U any](all []T, of func(T) U) []U {
	made := make([]U, len(all))
	for i, one := range all {
		made[i] = of(one)
	}
	return made
}

// Factors are the second factors of a person.
type Factors struct {
	client.MFAListResult

	Items []Factor
}

// Factor is a second factor.
type Factor struct{ client.MFA }

// Factors returns the second factors of the signed-in person.
func (v *Visit) Factors() (Factors, error) {
	held, err := v.Me().MFAList(v.Context(), client.MFAListParams{})
	return Factors{held, Map(held.Items, func(one client.MFA) Factor { return Factor{one} })}, err
}

// Label returns the label of the factor.
func (f Factor) Label() string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Method == client.AuthMethodTOTP:
		return "Authenticator app"
	default:
		return "Codes by email"
	}
}

// FewCodes reports whether so few recovery codes are left that new ones are
// recommended.
func (f Factors) FewCodes() bool {
	const few = 3
	return f.RecoveryCodesLeft <= few
}
