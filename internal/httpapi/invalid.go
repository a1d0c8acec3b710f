package httpapi

import "github.com/kith-crm/kith/internal/problem"

// invalid is the problem of one wrong field.
func invalid(field, code, message string) error {
	var wrong problem.Fields
	wrong.Add(field, code, message)
	return wrong.Err()
}
