package recent

import "testing"

func TestTheOldestKeyIsPushedOut(t *testing.T) {
	m := New[string, int](2)
	m.Put("a", 1)
	m.Put("b", 2)
	m.Put("a", 3) // keeps its age
	m.Put("c", 4)
	if v, ok := m.Get("a"); ok {
		t.Errorf("a is %d, and should be forgotten", v)
	}
	for key, want := range map[string]int{"b": 2, "c": 4} {
		if v, ok := m.Get(key); !ok || v != want {
			t.Errorf("%s is %d, %v, want %d", key, v, ok, want)
		}
	}
	m.Put("b", 5)
	if v, _ := m.Get("b"); v != 5 {
		t.Errorf("b is %d, want its latest value", v)
	}
}
