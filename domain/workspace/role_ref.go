package workspace

// RoleRef names a role of a workspace.
type RoleRef struct {
	// Key is what grants, groups and roles that inherit it are stored with: the name of
	// a built-in role, the id of a custom one, which may be renamed.
	Key string
	// Name is what everybody outside calls it.
	Name string
}

// Builtin names a built-in role, whose name is its key.
func Builtin(name string) RoleRef { return RoleRef{Key: name, Name: name} }
