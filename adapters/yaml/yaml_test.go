package yaml_test

import (
	"strings"
	"testing"

	"gatehouse.internal/adapters/yaml"
)

func TestJSONComesBack(t *testing.T) {
	t.Parallel()
	const document = `{"b":1,"a":["yes","1.5",null,true,{"x":"é\n# no"}],"when":"2026-11-23","empty":{},"none":[]}`
	text, err := yaml.Documents{}.ToYAML([]byte(document))
	if err != nil || !strings.HasPrefix(text, "b: 1\na:\n") {
		t.Fatalf("written as %q, %v", text, err)
	}
	back, err := yaml.Documents{}.FromYAML(text)
	const sorted = `{"a":["yes","1.5",null,true,{"x":"é\n# no"}],"b":1,"empty":{},"none":[],"when":"2026-11-23"}`
	if err != nil || string(back) != sorted {
		t.Errorf("came back as %s, %v", back, err)
	}
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for _, level := range []string{"b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]", "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]", "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]", "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]", "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]", "g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]"} {
		bomb += level + "\n"
	}
	for name, text := range map[string]string{
		"two documents": "a: 1\n---\nb: 2\n", "no YAML": "a: [1", "nothing": "", "keys that are no texts": "{[1]: 2}", "the same key twice": "a: 1\na: 2\n", "a bomb": bomb,
	} {
		if read, err := (yaml.Documents{}).FromYAML(text); err == nil {
			t.Errorf("%s is read as %.80s", name, read)
		}
	}
}
