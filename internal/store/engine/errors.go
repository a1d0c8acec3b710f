package engine

import "errors"

// ErrUnsettled is joined to what failed after the end of a transaction was sent: nobody knows what became of it.
var ErrUnsettled = errors.New("it is not known whether the transaction was committed")

// ErrClosed is for who comes after the end.
var ErrClosed = errors.New("the store is closed")

// ErrFull ends a statement whose further rows are not needed.
var ErrFull = errors.New("the page is full")

// ErrNotFound is returned where a business or a record is not there.
var ErrNotFound = errors.New("not found")
