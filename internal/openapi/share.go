package openapi

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// sharing is what several operations have in common. It is described once, and the operations point to it.
type sharing struct {
	responses, examples, bodies map[string]string
}

// shareable finds the answers and examples that several operations have, and adds them to the document by names of their own.
func (b *builder) shareable(operations []Operation) *sharing {
	s := &sharing{responses: map[string]string{}, examples: map[string]string{}, bodies: map[string]string{}}
	times := map[string]int{}
	for _, o := range operations {
		times[o.Example]++
		if body := o.body(nil); body != nil {
			times[fmt.Sprint(body)]++
		}
		for _, answer := range b.successes(o) {
			times[answer.key()]++
		}
	}
	for _, o := range operations {
		if o.Example != "" && times[o.Example] > 1 && s.examples[o.Example] == "" {
			s.examples[o.Example] = "Example" + strconv.Itoa(len(s.examples)+1)
			b.examples = b.examples.with(s.examples[o.Example], exampleOf(o))
		}
		if body := o.body(nil); body != nil && times[fmt.Sprint(body)] > 1 && s.bodies[fmt.Sprint(body)] == "" {
			name := "Body" + strconv.Itoa(len(s.bodies)+1)
			s.bodies[fmt.Sprint(body)] = name
			b.requests = b.requests.with(name, o.body(s))
		}
		for _, answer := range b.successes(o) {
			if times[answer.key()] == 1 || s.responses[answer.key()] != "" {
				continue
			}
			name := answer.name
			for n := 2; b.responses.get(name) != nil; n++ {
				name = answer.name + strconv.Itoa(n)
			}
			s.responses[answer.key()] = name
			b.responses = b.responses.with(name, answer.answer)
		}
	}
	return s
}

// key is the same for answers that are the same.
func (a success) key() string { return fmt.Sprint(a.answer) }

func exampleOf(o Operation) Object { return object("value", json.RawMessage(o.Example)) }

// body is the body of an operation, or where it is described; nil where it has none.
func (s *sharing) body(o Operation) Object {
	if name := s.bodies[fmt.Sprint(o.body(nil))]; name != "" {
		return object("$ref", "#/components/requestBodies/"+name)
	}
	return o.body(s)
}

// example is the example of an operation, or where it is.
func (s *sharing) example(o Operation) Object {
	if s != nil && s.examples[o.Example] != "" {
		name := s.examples[o.Example]
		return object("$ref", "#/components/examples/"+name)
	}
	return exampleOf(o)
}

// response is an answer, or where it is described.
func (s *sharing) response(a success) Object {
	if name := s.responses[a.key()]; name != "" {
		return object("$ref", "#/components/responses/"+name)
	}
	return a.answer
}
