// Package ledger keeps runs of the engine in a SQLite file, so that what a run has acknowledged survives a
// crash.
//
//	store, err := ledger.Open("run.db")
//	…
//	defer store.Close()
//	result, err := engine.Run(ctx, engine.Config{Ledger: engine.LedgerConfig{Store: store, RunID: "a"}, …})
//
// A [Store] is the handle of one run; a file may hold many runs, and many processes may write it at once.
// A [Reader] looks at a file and changes nothing.
//
// # What is in the file
//
// The entries of each run's log, which hold leases, cards, measurements and decisions; the commits, chained
// by hash from the initial state of each artifact; the heads dev and stable; and the outcomes of dear
// evaluations. Adoption is one transaction: the commit, the head that it moves and the entries that led to
// it are stored together or not at all.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: a Write that has returned was flushed to the disk. What a
// process wrote without an answer may be there or not, whole in both cases. A network file system cannot
// hold the file, since WAL needs shared memory.
//
// # Damage
//
// Every commit carries the hash of its content and its parent, every other row a CRC-32C; [Reader.Verify]
// checks them, SQLite's own structure, and the write-ahead log of a process that was killed. Bytes of the
// file that hold nothing (the unused rest of a page) are beyond it; a caller that wants them watched keeps
// a hash of the file while nobody writes it.
package ledger
