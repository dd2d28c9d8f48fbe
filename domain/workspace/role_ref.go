package workspace

// RoleRef names a role of a workspace.
type RoleRef struct {
	// Key is the stored reference: the name of a built-in role, or the ID of a custom
	// one, which may be renamed.
	Key string
	// Name is the public name.
	Name string
}

// Builtin returns the reference to a built-in role, whose name is its key.
func Builtin(name string) RoleRef { return RoleRef{Key: name, Name: name} }
