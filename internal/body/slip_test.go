package body

import (
	"strings"
	"testing"
)

func TestSlipsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`:                 "a comma with nothing after it, at line 1, column 7 (byte 6).",
		"{\"ä\":1,\n\t\"b\":2,\n}": "a comma with nothing after it, at line 2, column 7 (byte 15).",
		`[1, ]`:                    "a comma with nothing after it",
		`{"a":[1,],"b":2}`:         "a comma with nothing after it, at line 1, column 8 (byte 7).",
		`[,1]`:                     "a comma with nothing before it",
		`[1,,2]`:                   "a comma with nothing before it",
		`{null:1}`:                 "keys stand in double quotes, at line 1, column 2 (byte 1).",
		`{a:1}`:                    "keys stand in double quotes",
		`{'a':1}`:                  "keys and texts stand in double quotes",
		`{"a":'x'}`:                "keys and texts stand in double quotes",
		`{"a": // one` + "\n1}":    "JSON has no comments",
		`{"a":1}}`:                 "goes on after its JSON value, which ends at line 1, column 8 (byte 7).",
		`{"a":1`:                   "it is cut off, at line 1, column 7 (byte 6).",
		`{`:                        "it is cut off",
		`,`:                        "invalid character ','",
		`x`:                        "invalid character 'x'",
		`{"a":x}`:                  "invalid character 'x'",
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
