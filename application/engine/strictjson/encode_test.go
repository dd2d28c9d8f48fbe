package strictjson_test

import (
	"testing"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/secret"
)

type result struct {
	At     time.Time                `json:"at"`
	Ended  *time.Time               `json:"ended"`
	Name   string                   `json:"name"`
	List   []string                 `json:"list"`
	Map    map[string]int           `json:"map"`
	Token  secret.Shown             `json:"token"`
	Other  *secret.Shown            `json:"other"`
	Many   []secret.Shown           `json:"many"`
	Any    any                      `json:"any"`
	Hidden secret.String            `json:"hidden"`
	Keyed  map[string]*secret.Shown `json:"keyed"`
}

func TestEncode(t *testing.T) {
	t.Parallel()
	shown := secret.Shown("s3")
	value := result{
		At:   time.Date(2026, 1, 31, 17, 4, 5, 120_000_000, time.FixedZone("", 2*3600)),
		Name: "<&>\u2028é", Token: "s1", Other: &shown, Many: []secret.Shown{"s2"}, Any: map[string]any{"b": shown, "a": 1},
		Hidden: secret.New("x"), Keyed: map[string]*secret.Shown{"k": &shown},
	}
	head := `{"at":"2026-01-31T15:04:05.12Z","ended":null,"name":"<&>` + "\u2028é" + `","list":[],"map":{},`
	cases := map[string]struct {
		encode func(any) ([]byte, error)
		want   string
	}{
		"clear":   {strictjson.Encode, head + `"token":"s1","other":"s3","many":["s2"],"any":{"a":1,"b":"s3"},"hidden":"[redacted]","keyed":{"k":"s3"}}`},
		"blanked": {strictjson.EncodeBlanked, head + `"token":"","other":"","many":[""],"any":{"a":1,"b":""},"hidden":"[redacted]","keyed":{"k":""}}`},
	}
	for name, c := range cases {
		got, err := c.encode(value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s %v\nwant %s", name, got, err, c.want)
		}
	}
}

func TestEncodeIsDeterministic(t *testing.T) {
	t.Parallel()
	value := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}
	for range 50 {
		if got, err := strictjson.Encode(value); err != nil || string(got) != `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}` {
			t.Fatal(string(got), err)
		}
	}
}
