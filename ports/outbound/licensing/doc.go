// Package licensing holds the ports about what workspaces sell and license: products,
// licence policies, licences and their machines.
package licensing
