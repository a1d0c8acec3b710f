package account

// ScopesOf is for tests that need the kinds of package crm, which this package must not import.
var ScopesOf = scopesOf
