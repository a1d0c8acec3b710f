package room

import "testing"

// What is remembered stays within bounds, however much there is, and what came last is known.
func TestMemoriesAreBounded(t *testing.T) {
	const most = 1 << 10
	m := Memory[int, int64]{Most: most}
	for n := range 2*most + 10 {
		m.Store(n, int64(n))
		if known, ok := m.Load(n); !ok || known != int64(n) {
			t.Fatalf("%d is not known", n)
		}
		if len(m.known) > most {
			t.Fatalf("%d are known", len(m.known))
		}
	}
	m.Store(2*most+9, 1)
	if len(m.known) != 10 {
		t.Errorf("a known one that changed left %d", len(m.known))
	}
}
