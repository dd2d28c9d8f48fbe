package strictjson_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/secret"
)

type userKind struct{}

func (userKind) Prefix() string { return "usr" }

type params struct {
	User     id.ID[userKind]   `json:"user"`
	Others   []id.ID[userKind] `json:"others"`
	Password secret.String     `json:"password"`
	Limit    int               `json:"limit"`
	Small    int8              `json:"small"`
	On       bool              `json:"on"`
	At       time.Time         `json:"at"`
	Names    []string          `json:"names"`
	More     map[string]string `json:"more"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	var got params
	raw := `{"user":"usr_01jd7x9k2mf3q8v5t0abcdefgh","password":"hunter2","limit":3,"at":"2026-01-31T15:04:05Z"}`
	if err := strictjson.Decode([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	if got.User != "usr_01jd7x9k2mf3q8v5t0abcdefgh" || got.Password.Reveal() != "hunter2" || got.Limit != 3 || got.At.IsZero() {
		t.Errorf("%+v", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]fault.Field{
		`{"user":"hunter2"}`:                     {Path: "/user", Message: id.ErrMalformed.Message},
		`{"others":["hunter2"]}`:                 {Path: "/others/0", Message: id.ErrMalformed.Message},
		`{"hunter":2}`:                           {Path: "/hunter", Message: "is not a known parameter"},
		`{"Limit":2}`:                            {Path: "/Limit", Message: "is not a known parameter"},
		`{"` + strings.Repeat("x/", 50) + `":2}`: {Path: "/" + strings.Repeat("x~1", 32), Message: "is not a known parameter"},
		`{"limit":"hunter2"}`:                    {Path: "/limit", Message: "must be a whole number"},
		`{"limit":1.0}`:                          {Path: "/limit", Message: "must be a whole number without fraction or exponent"},
		`{"small":300}`:                          {Path: "/small", Message: "is out of range"},
		`{"on":"hunter2"}`:                       {Path: "/on", Message: "must be true or false"},
		`{"at":"hunter2"}`:                       {Path: "/at", Message: "has the wrong format"},
		`{"names":{"a":1}}`:                      {Path: "/names", Message: "must be a list"},
		`{"more":{"a":1}}`:                       {Path: "/more/a", Message: "must be a string"},
		`[]`:                                     {Path: "", Message: "must be an object"},
	}
	for raw, want := range cases {
		var into params
		err := strictjson.Decode([]byte(raw), &into)
		found := fault.From(err)
		if diff := cmp.Diff([]fault.Field{want}, found.Fields); diff != "" || found.Code != fault.Validation {
			t.Errorf("%s: %v %s", raw, err, diff)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the value is quoted: %v", raw, err)
		}
	}
}

func TestDecodeRefusesWhatIsNotStrict(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"limit":1,"limit":2}`, `{"limit":1}{}`, `{`, ``, "{\"names\":[\"\xff\"]}"} {
		var into params
		if err := strictjson.Decode([]byte(raw), &into); !strings.HasPrefix(fault.From(err).Message, "malformed JSON at byte ") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
