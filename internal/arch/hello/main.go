// Command hello exits with 0: it tells whether programs of an architecture run here.
package main

func main() {}
