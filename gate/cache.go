package gate

import "sync"

// DefaultCacheEntries is how many judgements a gate keeps at most. One takes a few kilobytes: its
// program, cost and proofs.
const DefaultCacheEntries = 8192

// cache keeps values that were used lately, at most a stated number: two generations, of which the
// older is dropped when the younger has grown to half of the bound. A nil cache keeps nothing.
type cache[V any] struct {
	mu         sync.Mutex
	half       int
	young, old map[string]*V
}

// newCache returns a cache of at most entries values; 0 means DefaultCacheEntries, below 0 none.
func newCache[V any](entries int) *cache[V] {
	switch {
	case entries < 0:
		return nil
	case entries == 0:
		entries = DefaultCacheEntries
	}
	return &cache[V]{half: max(entries/2, 1), young: map[string]*V{}}
}

// get returns a value and keeps it for longer.
func (c *cache[V]) get(key string) (*V, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[key]; ok {
		return v, true
	}
	v, ok := c.old[key]
	if ok {
		c.insert(key, v)
	}
	return v, ok
}

// put adds a value.
func (c *cache[V]) put(key string, v *V) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.insert(key, v)
}

func (c *cache[V]) insert(key string, v *V) {
	if len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[string]*V, c.half)
	}
	c.young[key] = v
}

// len returns how many entries are held; a key may count twice.
func (c *cache[V]) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.young) + len(c.old)
}
