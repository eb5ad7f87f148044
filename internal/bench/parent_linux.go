package main

import "syscall"

// endWithParent has the kernel end a process when the one that started it is gone.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
