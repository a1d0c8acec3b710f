package schema

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// Decimals are whole numbers of ten-thousandths. Fourteen digits before the point keep every sum of a
// document inside 64 bits, and are more than any currency needs.
const (
	DecimalPlaces = 4
	DecimalOne    = 10_000
	DecimalMax    = 100_000_000_000_000*DecimalOne - 1
)

// Why a text is not a decimal that we take.
var (
	ErrNotDecimal    = errors.New("not a decimal number")
	ErrDecimalPlaces = errors.New("more than 4 decimal places")
	ErrDecimalRange  = errors.New("more than 14 digits before the point")
)

// ParseDecimal reads a JSON number or plain decimal text exactly, without passing through floating point.
func ParseDecimal(text string) (int64, error) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ReplaceAll(text, "E", "e"), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if !onlyDigits(whole) || hasPoint && !onlyDigits(fraction) {
		return 0, ErrNotDecimal
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	shift := 0
	if hasExponent {
		size := exponent
		if size != "" && (size[0] == '+' || size[0] == '-') {
			size = size[1:]
		}
		if !onlyDigits(size) {
			return 0, ErrNotDecimal
		}
		if digits == "" {
			return 0, nil
		}
		e, err := strconv.ParseInt(exponent, 10, 32)
		if err != nil { // no text is long enough to make up for such an exponent
			if exponent[0] == '-' {
				return 0, ErrDecimalPlaces
			}
			return 0, ErrDecimalRange
		}
		shift = int(e)
	}
	places := len(fraction) - shift
	for places > 0 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	switch {
	case digits == "":
		return 0, nil
	case places > DecimalPlaces:
		return 0, ErrDecimalPlaces
	case len(digits)+DecimalPlaces-places > 18:
		return 0, ErrDecimalRange
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", DecimalPlaces-places), 10, 64)
	if err != nil {
		return 0, ErrNotDecimal
	}
	if negative {
		n = -n
	}
	return n, nil
}

func onlyDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// AppendDecimal renders a decimal with at least the given places, and more only where they are not zero.
func AppendDecimal(dst []byte, n int64, least int) []byte {
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = strconv.AppendUint(dst, u/DecimalOne, 10)
	fraction := u % DecimalOne
	places := DecimalPlaces
	for places > least && fraction%10 == 0 {
		fraction, places = fraction/10, places-1
	}
	if places == 0 {
		return dst
	}
	dst = append(dst, '.')
	text := strconv.FormatUint(fraction, 10)
	for range places - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// AppendLargeDecimal is AppendDecimal for sums, which may be larger than any decimal that is taken.
func AppendLargeDecimal(dst []byte, n *big.Int, least int) []byte {
	whole, fraction := new(big.Int).QuoRem(n, big.NewInt(DecimalOne), new(big.Int))
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	dst = whole.Abs(whole).Append(dst, 10)
	rest := AppendDecimal(nil, fraction.Abs(fraction).Int64(), least)
	return append(dst, rest[1:]...) // without the zero before the point
}
