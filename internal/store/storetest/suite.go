package storetest

import (
	"testing"

	"github.com/kith-crm/kith/internal/store"
)

// Run holds a store to everything that does not need several writers at once.
func Run(t *testing.T, open Open) {
	s := open(t)
	for name, test := range map[string]func(t *testing.T, s *store.Store){
		"businesses are found by their id":                          testBusinesses,
		"a business that cannot be filled is not made":              testBusinessUndone,
		"the logo of a business is its own":                         testLogo,
		"migrating twice changes nothing":                           testMigrateAgain,
		"a record of every resource comes back as it was":           testRoundTrip,
		"a record without optional values comes back as it was":     testBareRoundTrip,
		"an update writes what differs and nothing else":            testUpdate,
		"an update of a record that is not there fails":             testUpdateOfNothing,
		"deleted records are in the bin until restored":             testBin,
		"counts follow inserts, deletions and restorations":         testTallies,
		"text search follows every write":                           testTextFollows,
		"list items of a record are found as they are in it":        testListItems,
		"find reads live records that match, oldest first":          testFind,
		"unique values are held by one live record of a business":   testUnique,
		"counters have no gaps among committed transactions":        testCounters,
		"the change log tells what happened":                        testChangeLog,
		"the change log has no gaps after failed transactions":      testChangeLogWithoutGaps,
		"the history of a record is its own, newest first":          testHistory,
		"businesses do not see each other":                          testTenants,
		"values keep their last digit":                              testExactValues,
		"a quote expires when its last valid day is over":           testLapse,
		"texts keep every character":                                testTexts,
		"a prefix finds all texts that begin with it, and no other": testPrefixes,
		"a failed write leaves nothing":                             testFailedWrite,
		"a failed savepoint takes no other with it":                 testFailedSavepoints,
		"a panic in a write harms nobody else":                      testPanic,
		"a search that is stopped half way harms nobody else":       testStoppedSearch,
		"a write that nobody waits for any more is not begun":       testCancelledWrite,
		"the largest search that is allowed runs":                   testLargestSearch,
		"a long list of values finds what a short one does":         testLongLists,
		"a page ends with the record that makes it too large":       testHeavyPages,
		"secrets are found by their hash until they are dropped":    testCredentials,
		"a second factor is its user's alone":                       testFactors,
		"a log-in by an identity provider is its business's alone":  testLogins,
		"a job is moved on by who has it":                           testJobs,
		"an import has the rows of the file that came last":         testImports,
		"a webhook is delivered to by who has its business":         testWebhooks,
		"a mail is sent by who has taken it":                        testMail,
		"an answer is kept for its business alone":                  testAnswers,
		"added fields come back as they were":                       testExtendedRoundTrip,
		"added fields are found and sorted like others":             testExtendedSearch,
		"the index of an added field is made while records change":  testCustomEntries,
		"what is not the same stays so for its business alone":      testNotTwins,
		"what is removed for good is gone":                          testRemove,
		"the log of a record can be emptied":                        testEmptyLog,
		"what is left of a removal is noted until it is done":       testErasures,
		"a merge moves references and is taken back":                testMerges,
		"who refers to a record by an added field is found":         testAddedReferences,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
	t.Run("secrets are shared by all servers of a database", func(t *testing.T) { testSecrets(t, s, open(t)) })
	t.Run("a closed store refuses to work and loses nothing", func(t *testing.T) { testClosed(t, open) })
}
