package httpapi

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/spelling"
)

// maxDepth is the maximum nesting depth of a body, and maxNames the maximum number of
// names in an object.
const (
	maxDepth = 32
	maxNames = 1000
)

// maxComplaints is the maximum number of errors in a response, so that a hostile body
// cannot cause a large one.
const maxComplaints = 16

// envelope is the body of a call (specification section 2.2) with its sibling members
// merged into the parameters. It shares no memory with the body.
type envelope struct {
	// command is the name as sent; empty if the body could not be parsed.
	command string
	// params is a JSON object; "{}" if there were no parameters.
	params []byte
	dryRun bool
}

// parser parses envelopes. Its zero value is ready to use, and safe for concurrent use.
type parser struct{ pool sync.Pool }

// reader is a decoder and its input buffer.
type reader struct {
	decoder jsontext.Decoder
	source  bytes.Buffer
}

// member is a name and a value of an object, as slices of the body.
type member struct {
	// name is the unquoted name.
	name []byte
	// quoted is the name as sent.
	quoted, value jsontext.Value
}

// parts is an envelope before its sibling members are merged.
type parts struct {
	envelope
	raw      jsontext.Value
	siblings []member
	named    bool
	// fixed reports whether the path determines the command, so that the body must not.
	fixed bool
	wrong []fault.Field
}

// parse parses the body of a call: one strict JSON object (RFC 7493) within maxDepth
// and maxNames. It fails with a validation error that quotes no value; if only members
// are invalid, the envelope still contains the command, for the response.
func (p *parser) parse(body []byte) (envelope, *fault.Error) { return p.read(body, parts{}) }

// parseFor parses a body that must not name the command, because the path does.
func (p *parser) parseFor(command string, body []byte) (envelope, *fault.Error) {
	return p.read(body, parts{envelope: envelope{command: command}, named: true, fixed: true})
}

// parseParams parses a body that is the parameters of a command; empty for none.
func (p *parser) parseParams(command string, body []byte) (envelope, *fault.Error) {
	call := envelope{command: command, params: []byte("{}")}
	if len(body) == 0 {
		return call, nil
	}
	if refused := bounded(body); refused != nil {
		return call, refused
	}
	in := p.reader()
	defer p.release(in)
	if refused := in.object(body, func(member) {}); refused != nil {
		return call, refused
	}
	call.params = bytes.Clone(body)
	return call, nil
}

func (p *parser) read(body []byte, found parts) (envelope, *fault.Error) {
	in := p.reader()
	defer p.release(in)
	if refused := bounded(body); refused != nil {
		return envelope{}, refused
	}
	if refused := in.object(body, found.put); refused != nil {
		return envelope{}, refused
	}
	if !found.named {
		found.missingCommand()
	}
	if len(found.siblings) > 0 {
		found.merge(in)
	} else {
		found.params = bytes.Clone(found.raw)
	}
	if len(found.params) == 0 {
		found.params = []byte("{}")
	}
	if len(found.wrong) > 0 {
		return envelope{command: found.command}, fault.Refuse(found.wrong...)
	}
	return found.envelope, nil
}

// reader returns a reader of the pool.
func (p *parser) reader() *reader {
	in, ok := p.pool.Get().(*reader)
	if !ok {
		in = new(reader)
	}
	return in
}

// release returns a reader to the pool, without the body it has read.
func (p *parser) release(in *reader) {
	in.source = bytes.Buffer{}
	in.decoder.Reset(&in.source)
	p.pool.Put(in)
}

// object calls take with every member of the object in raw.
func (in *reader) object(raw []byte, take func(member)) *fault.Error {
	in.source = *bytes.NewBuffer(raw)
	in.decoder.Reset(&in.source)
	if kind := in.decoder.PeekKind(); kind != '{' {
		return in.notAnObject(raw)
	}
	if _, err := in.decoder.ReadToken(); err != nil {
		return malformed(raw, err)
	}
	for in.decoder.PeekKind() != '}' {
		next, err := in.member(raw)
		if err != nil {
			return malformed(raw, err)
		}
		take(next)
	}
	if _, err := in.decoder.ReadToken(); err != nil {
		return malformed(raw, err)
	}
	return in.ended(raw)
}

// member reads a name and its value. The decoder's results are valid until the next
// read only, so the result refers to the same bytes in raw.
func (in *reader) member(raw []byte) (member, error) {
	quoted, err := in.decoder.ReadValue()
	if err != nil {
		return member{}, err
	}
	end := int(in.decoder.InputOffset())
	quoted = jsontext.Value(raw[end-len(quoted) : end : end])
	value, err := in.decoder.ReadValue()
	if err != nil {
		return member{}, err
	}
	end = int(in.decoder.InputOffset())
	return member{
		name: unquote(quoted), quoted: quoted, value: jsontext.Value(raw[end-len(value) : end : end]),
	}, nil
}

// unquote returns the text of a well-formed JSON string.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) >= 2 {
		return quoted[1 : len(quoted)-1]
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return nil
	}
	return text
}

// missingCommand adds an error for a body without command, and hints at misspelled names.
func (p *parts) missingCommand() {
	p.complain("/command", "is required")
	for _, sibling := range p.siblings {
		name := string(sibling.name)
		if hint := spelling.Hint(name, []string{"command"}); hint != "" {
			p.complain(fault.Pointer(name), "is not a known parameter"+hint)
		}
	}
}

// put processes a member of the body.
func (p *parts) put(m member) {
	kind := m.value.Kind()
	switch string(m.name) {
	case "command":
		p.putCommand(m.value)
	case "params":
		if kind != '{' {
			p.complain("/params", "must be an object")
			return
		}
		p.raw = m.value
	case "dry_run":
		if kind != 't' && kind != 'f' {
			p.complain("/dry_run", "must be true or false")
		}
		p.dryRun = kind == 't'
	default:
		p.siblings = append(p.siblings, m)
	}
}

func (p *parts) putCommand(value jsontext.Value) {
	if p.fixed {
		p.complain("/command", "must be omitted: the path already names the command")
		return
	}
	p.named = true
	if value.Kind() != '"' {
		p.complain("/command", "must be a string")
		return
	}
	p.command = string(unquote(value))
	if p.command == "" {
		p.complain("/command", "must not be empty")
	}
}

// merge merges params and sibling members. A name in both is an error, since it would
// be ambiguous.
func (p *parts) merge(in *reader) {
	beside := make(map[string]struct{}, len(p.siblings))
	size := len(p.raw) + 2
	for _, sibling := range p.siblings {
		beside[string(sibling.name)] = struct{}{}
		size += len(sibling.quoted) + len(sibling.value) + 2
	}
	merged := append(make([]byte, 0, size), '{')
	add := func(m member) {
		if len(merged) > 1 {
			merged = append(merged, ',')
		}
		merged = append(append(append(merged, m.quoted...), ':'), m.value...)
	}
	if p.raw != nil {
		// The object has been read once already, so this cannot fail.
		_ = in.object(p.raw, func(m member) {
			if _, both := beside[string(m.name)]; both {
				p.complain(fault.Pointer(string(m.name)), "is given twice, inside and outside params")
			}
			add(m)
		})
	}
	for _, sibling := range p.siblings {
		add(sibling)
	}
	p.params = append(merged, '}')
}

func (p *parts) complain(path, message string) {
	if len(p.wrong) < maxComplaints {
		p.wrong = append(p.wrong, fault.Field{Path: path, Message: message})
	}
}
