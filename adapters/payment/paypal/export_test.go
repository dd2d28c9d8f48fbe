package paypal

// Trusted exports trusted for tests.
var Trusted = trusted
