//go:build unix

package main

import "syscall"

// ownSession takes a process out of the reach of its parent's terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
