package dns

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// question asks for the texts at a name.
type question struct {
	name dnsmessage.Name
	id   uint16
}

// answer is what a resolver said.
type answer struct {
	texts []string
	// truncated reports whether it said that there is more by TCP.
	truncated bool
}

func (q question) pack() ([]byte, error) {
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: q.id, RecursionDesired: true})
	var option dnsmessage.ResourceHeader
	err := errors.Join(
		b.StartQuestions(),
		b.Question(dnsmessage.Question{Name: q.name, Type: dnsmessage.TypeTXT, Class: dnsmessage.ClassINET}),
		b.StartAdditionals(),
		option.SetEDNS0(datagram, dnsmessage.RCodeSuccess, false),
		b.OPTResource(option, dnsmessage.OPTResource{}),
	)
	if err != nil {
		return nil, fmt.Errorf("write a question: %w", err)
	}
	packed, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("write a question: %w", err)
	}
	return packed, nil
}

// parse reads an answer. It fails with errStray for what answers another question, and
// with errServer where the resolver says that it could not find out.
func (q question) parse(message []byte) (answer, error) {
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil || header.ID != q.id || !header.Response {
		return answer{}, errStray
	}
	asked, err := p.Question()
	if err != nil || !same(asked.Name, q.name) || asked.Type != dnsmessage.TypeTXT || asked.Class != dnsmessage.ClassINET {
		return answer{}, errStray
	}
	switch {
	case header.Truncated:
		return answer{truncated: true}, nil
	case header.RCode == dnsmessage.RCodeNameError:
		return answer{}, nil
	case header.RCode != dnsmessage.RCodeSuccess:
		return answer{}, fmt.Errorf("%w: %s", errServer, header.RCode)
	}
	if err := p.SkipAllQuestions(); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errServer, err)
	}
	texts, err := q.texts(&p)
	return answer{texts: texts}, err
}

// texts returns those of the name itself. A text may come in several strings, which are one.
func (q question) texts(p *dnsmessage.Parser) ([]string, error) {
	var texts []string
	for range mostTexts {
		header, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errServer, err)
		}
		if header.Type != dnsmessage.TypeTXT || header.Class != dnsmessage.ClassINET || !same(header.Name, q.name) {
			if err := p.SkipAnswer(); err != nil {
				return nil, fmt.Errorf("%w: %w", errServer, err)
			}
			continue
		}
		found, err := p.TXTResource()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errServer, err)
		}
		if text := strings.Join(found.TXT, ""); len(text) <= longestText {
			texts = append(texts, text)
		}
	}
	return texts, nil
}
