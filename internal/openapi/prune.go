package openapi

import "strings"

// pruned leaves out of a document the schemas and responses that nothing in it points to.
func (b *builder) pruned(document Object) Object {
	components := document.get("components").(Object)
	used := map[string]bool{}
	var follow func(v any)
	follow = func(v any) {
		switch x := v.(type) {
		case Object:
			for _, m := range x {
				target, ok := m.Value.(string)
				if m.Name != "$ref" || !ok {
					follow(m.Value)
					continue
				}
				if used[target] {
					continue
				}
				used[target] = true
				room, name, _ := strings.Cut(strings.TrimPrefix(target, "#/components/"), "/")
				follow(components.get(room).(Object).get(name))
			}
		case []Object:
			for _, item := range x {
				follow(item)
			}
		}
	}
	follow(document.get("paths"))
	follow(document.get("webhooks"))
	follow(document.get(everyAnswer))
	for i, room := range components {
		if room.Name == "securitySchemes" {
			continue
		}
		var kept Object
		for _, m := range room.Value.(Object) {
			if used["#/components/"+room.Name+"/"+m.Name] {
				kept = append(kept, m)
			}
		}
		components[i].Value = kept
	}
	return document
}
