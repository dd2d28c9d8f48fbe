// Package licensing defines the ports for products and licenses: products, license
// policies, licenses, machines, seats and features.
package licensing
