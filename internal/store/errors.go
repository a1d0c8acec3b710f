package store

import "errors"

// errUnsettled is joined to what failed after the end of a transaction was sent: nobody knows what became of it.
var errUnsettled = errors.New("it is not known whether the transaction was committed")

// errClosed is for who comes after the end.
var errClosed = errors.New("the store is closed")
