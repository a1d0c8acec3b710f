package web

func scopeAction(scope string) string {
	for i := range scope {
		if scope[i] == '.' {
			return scope[i+1:]
		}
	}
	return ""
}
