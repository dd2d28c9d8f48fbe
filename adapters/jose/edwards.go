package jose

import (
	"math/big"
	"slices"
)

// edwardsD is the constant d of the curve (RFC 8032 section 5.1).
const edwardsD = "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3"

// soundEdwards reports whether 32 bytes are a point of Ed25519 that can be a public
// key: the one encoding of a point on the curve (RFC 8032 section 5.1.3), not of
// small order. Anybody can sign for a key of small order. crypto/ed25519 looks at
// the first when it verifies, and at nothing else.
func soundEdwards(encoded []byte) bool {
	const signBit = 0x80
	little := slices.Clone(encoded)
	little[len(little)-1] &^= signBit
	slices.Reverse(little)
	y := new(big.Int).SetBytes(little)
	prime := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	if y.Cmp(prime) >= 0 || smallOrder(y, prime) {
		return false
	}
	// x² = (y²-1) / (d·y²+1), which is a square if numerator times denominator is.
	one := big.NewInt(1)
	square := new(big.Int).Mul(y, y)
	numerator := new(big.Int).Sub(square, one)
	denominator := new(big.Int).Mul(square, fromHex(edwardsD))
	denominator.Add(denominator, one)
	product := numerator.Mul(numerator, denominator)
	return big.Jacobi(product.Mod(product, prime), prime) == 1
}

// smallOrder reports whether y is that of one of the eight points whose order divides eight.
func smallOrder(y, prime *big.Int) bool {
	eighth := fromHex("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826")
	for _, of := range []*big.Int{big.NewInt(0), big.NewInt(1), eighth} {
		opposite := new(big.Int).Sub(prime, of)
		if y.Cmp(of) == 0 || y.Cmp(opposite) == 0 {
			return true
		}
	}
	return false
}

// fromHex reads a constant.
func fromHex(digits string) *big.Int {
	value, _ := new(big.Int).SetString(digits, 16)
	return value
}
