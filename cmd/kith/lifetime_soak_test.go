//go:build soak

package main

import "time"

// lifetime is how long a program may run that a test starts.
const lifetime = time.Hour
