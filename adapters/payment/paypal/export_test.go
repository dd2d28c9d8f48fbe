package paypal

// Trusted is trusted, for tests.
var Trusted = trusted
