// Package signin stores what people prove who they are by, and the challenges in
// between.
package signin
