//go:build !soak

package main

// lifetime is how long a program may run that a test starts.
const lifetime = long
