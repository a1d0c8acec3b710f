package tracing

import (
	"encoding/binary"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The binary form of Protocol Buffers: a field is its number and kind, and then its value. These are the few messages of
// opentelemetry/proto/trace/v1/trace.proto that there are spans for; the numbers below are those of its fields.

// appendRequest writes an ExportTraceServiceRequest with all spans, which are of one resource and one scope.
func appendRequest(dst []byte, spans []sdk.ReadOnlySpan) []byte {
	if len(spans) == 0 {
		return dst
	}
	return appendMessage(dst, 1, func(dst []byte) []byte { // resource_spans
		dst = appendMessage(dst, 1, func(dst []byte) []byte { // resource
			return appendAttributes(dst, 1, spans[0].Resource().Attributes())
		})
		return appendMessage(dst, 2, func(dst []byte) []byte { // scope_spans
			dst = appendMessage(dst, 1, func(dst []byte) []byte { // scope
				return appendText(dst, 1, spans[0].InstrumentationScope().Name)
			})
			for _, s := range spans {
				dst = appendMessage(dst, 2, func(dst []byte) []byte { return appendSpan(dst, s) })
			}
			return dst
		})
	})
}

func appendSpan(dst []byte, s sdk.ReadOnlySpan) []byte {
	in, parent := s.SpanContext(), s.Parent()
	traceID, spanID := in.TraceID(), in.SpanID()
	dst = appendBytes(dst, 1, traceID[:])
	dst = appendBytes(dst, 2, spanID[:])
	dst = appendText(dst, 3, in.TraceState().String())
	if parent.SpanID().IsValid() {
		above := parent.SpanID()
		dst = appendBytes(dst, 4, above[:])
	}
	dst = appendText(dst, 5, s.Name())
	dst = appendNumber(dst, 6, uint64(s.SpanKind())) // the SDK numbers them as the protocol does
	dst = appendTime(dst, 7, s.StartTime())
	dst = appendTime(dst, 8, s.EndTime())
	dst = appendAttributes(dst, 9, s.Attributes())
	dst = appendNumber(dst, 10, uint64(s.DroppedAttributes()))
	if status := s.Status(); status.Code != codes.Unset {
		dst = appendMessage(dst, 15, func(dst []byte) []byte {
			code := uint64(1) // ok
			if status.Code == codes.Error {
				code = 2
			}
			return appendNumber(appendText(dst, 2, status.Description), 3, code)
		})
	}
	flags := uint32(in.TraceFlags()) | 0x100 // it is known whether the parent is remote
	if parent.IsRemote() {
		flags |= 0x200
	}
	return binary.LittleEndian.AppendUint32(appendTag(dst, 16, fixed32), flags)
}

func appendAttributes(dst []byte, field int, all []attribute.KeyValue) []byte {
	for _, a := range all {
		dst = appendMessage(dst, field, func(dst []byte) []byte {
			dst = appendText(dst, 1, string(a.Key))
			return appendMessage(dst, 2, func(dst []byte) []byte { return appendValue(dst, a.Value) })
		})
	}
	return dst
}

// appendValue writes an AnyValue. Lists, of which kith makes none, are written as text.
func appendValue(dst []byte, v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		n := byte(0)
		if v.AsBool() {
			n = 1
		}
		return append(appendTag(dst, 2, varint), n)
	case attribute.INT64:
		return binary.AppendUvarint(appendTag(dst, 3, varint), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		return binary.LittleEndian.AppendUint64(appendTag(dst, 4, fixed64), math.Float64bits(v.AsFloat64()))
	}
	text := v.String()
	return append(binary.AppendUvarint(appendTag(dst, 1, delimited), uint64(len(text))), text...)
}

// Kinds of fields.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
	fixed32   = 5
)

func appendTag(dst []byte, field, kind int) []byte {
	return binary.AppendUvarint(dst, uint64(field<<3|kind))
}

func appendBytes(dst []byte, field int, value []byte) []byte {
	return append(binary.AppendUvarint(appendTag(dst, field, delimited), uint64(len(value))), value...)
}

// appendText leaves out what is empty, as the form has it.
func appendText(dst []byte, field int, value string) []byte {
	if value == "" {
		return dst
	}
	return append(binary.AppendUvarint(appendTag(dst, field, delimited), uint64(len(value))), value...)
}

func appendNumber(dst []byte, field int, value uint64) []byte {
	if value == 0 {
		return dst
	}
	return binary.AppendUvarint(appendTag(dst, field, varint), value)
}

func appendTime(dst []byte, field int, at time.Time) []byte {
	return binary.LittleEndian.AppendUint64(appendTag(dst, field, fixed64), uint64(at.UnixNano()))
}

// appendMessage writes a message within another: its length is known when it is written.
func appendMessage(dst []byte, field int, write func([]byte) []byte) []byte {
	return appendBytes(dst, field, write(nil))
}
