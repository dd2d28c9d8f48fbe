// Package licensing stores what workspaces sell and license.
package licensing
