package ledger_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The crash and writer tests start the test binary again as the process that is killed, or that writes
// beside others: the role stands in the environment.
const roleKey = "ADRUN_LEDGER_TEST_ROLE"

var (
	kills   = flag.Int("kills", 20, "how many processes the crash test kills")
	commits = flag.Int("commits", 400, "how many commits the writers make together")
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleKey) {
	case "":
		flag.Parse()
		goleak.VerifyTestMain(m)
	case "run":
		os.Exit(runVictim(context.Background()))
	case "look":
		os.Exit(lookForLock())
	case "write":
		os.Exit(runWriters(context.Background()))
	}
	os.Exit(2)
}
