package wire

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

// fill sets all that a value has to something, so that nothing of it can get lost unseen.
func fill(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[rule.Lack]() { // it travels as its line
		v.Set(reflect.ValueOf(rule.Argument.With("=", "Array")))
		return
	}
	if _, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return // its own package tests it
	}
	if _, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok { // a name of an enumeration: any but the first, which may say nothing
		if v.CanUint() {
			v.SetUint(1)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.HasPrefix(f.Tag.Get("json"), "-") {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth-1)
		}
	case reflect.Map:
		if depth > 0 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, depth-1)
			fill(value, depth-1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString("text \"\\\n\u00e9")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	}
}

// Each kind of message, with all that it can have, is read as it was written; with nothing in it, too.
func TestMessagesTravel(t *testing.T) {
	for kind, empty := range orders {
		full := empty()
		fill(reflect.ValueOf(full).Elem(), 4)
		for _, sent := range []Order{full, empty()} {
			line, err := Marshal(sent)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(line), `{"type":"`+kind+`"`), kind)
			got, err := ParseOrder(line)
			require.NoError(t, err, kind)
			require.Equal(t, sent, got, kind)
		}
	}
	for kind, empty := range reports {
		full := empty()
		fill(reflect.ValueOf(full).Elem(), 4)
		for _, sent := range []Report{full, empty()} {
			line, err := Marshal(sent)
			require.NoError(t, err)
			got, err := ParseReport(line)
			require.NoError(t, err, kind)
			require.Equal(t, sent, got, kind)
		}
	}
}

// A kind may stand anywhere in an object: another transport may order its fields in another way.
func TestKindAnywhere(t *testing.T) {
	got, err := ParseReport([]byte(`{"text":"x \"type\"","type":"stage"}`))
	require.NoError(t, err)
	require.Equal(t, &Stage{Text: `x "type"`}, got)
}

func TestUnknownKinds(t *testing.T) {
	for _, line := range []string{`{"type":"bogus","n":1}`, `{"n":1,"type":"bogus"}`} {
		_, err := ParseOrder([]byte(line))
		require.EqualError(t, err, `an unknown kind of order: "bogus"`)
		_, err = ParseReport([]byte(line))
		require.EqualError(t, err, `an unknown kind of report: "bogus"`)
	}
	_, err := ParseOrder([]byte(`{"type":"confirmed"}`))
	require.EqualError(t, err, `an unknown kind of order: "confirmed"`)
	_, err = ParseReport([]byte(`{"type":"done","job":-1}`))
	require.ErrorContains(t, err, `report "done": json: cannot unmarshal number -1`)
	_, err = ParseOrder([]byte(`{"type":`))
	require.Error(t, err)
}
