// Package recent remembers what was worked out last.
package recent

import "sync"

// Map holds the values of the keys that came last, up to a number of them: a new key beyond it pushes out the oldest. It
// is safe for concurrent use.
type Map[K comparable, V any] struct {
	mu     sync.Mutex
	most   int
	values map[K]V
	order  []K // as the keys came
}

// New returns a map for at most so many keys.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, values: map[K]V{}}
}

// Get returns the value of a key that is remembered.
func (m *Map[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// Put remembers a value. A key that is remembered keeps its age.
func (m *Map[K, V]) Put(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.values[key]; !known {
		m.order = append(m.order, key)
	}
	m.values[key] = v
	if len(m.order) > m.most {
		delete(m.values, m.order[0])
		m.order = m.order[1:]
	}
}
