// Package licensing defines the ports for products and licences: products, licence
// policies, licences, machines, seats and features.
package licensing
