package room

import "sync"

// Memory remembers values of so many keys at most. Where there are more it forgets all: what is in use is soon in there again.
type Memory[K comparable, V any] struct {
	Most  int
	mu    sync.RWMutex
	known map[K]V
}

// Load gives what is remembered.
func (m *Memory[K, V]) Load(key K) (known V, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known, ok = m.known[key]
	return known, ok
}

// Store remembers.
func (m *Memory[K, V]) Store(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, again := m.known[key]; m.known == nil || !again && len(m.known) >= m.Most {
		m.known = map[K]V{}
	}
	m.known[key] = value
}
