package store_test

const writerVariable = "KITH_TEST_WRITER"

func writeForever(string) {}
