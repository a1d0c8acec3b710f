package account

// Declare resolves the fields that code names, and says what is special about each kind.
func Declare() {
	declareUsers()
	declareRoles()
	declareTokens()
	declareApps()
}
