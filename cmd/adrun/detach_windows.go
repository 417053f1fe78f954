package main

import "syscall"

// ownSession takes a process out of the reach of its parent's console.
func ownSession() *syscall.SysProcAttr {
	const detachedProcess = 0x00000008
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
