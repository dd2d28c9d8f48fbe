// This file is empty: its presence lets the compiler accept the functions in
// argon2.go that have no body, because the linker finds it in x/crypto.
