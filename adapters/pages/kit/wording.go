package kit

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// IsNotRecent reports whether a command requires a recent login.
func IsNotRecent(err error) bool  { return errors.Is(err, access.ErrNotRecent) }
func isUnfinished(err error) bool { return errors.Is(err, access.ErrUnfinished) || isUnproved(err) }
func isUnproved(err error) bool   { return errors.Is(err, access.ErrUnproved) }

// RefusedAs reports whether an error is a failure with one of the codes.
func RefusedAs(err error, codes ...fault.Code) bool {
	refused, is := errors.AsType[*fault.Error](err)
	return is && slices.Contains(codes, refused.Code)
}

// oauthWord matches the OAuth error code before a message (contract section 3).
var oauthWord = regexp.MustCompile(`^[a-z]+(_[a-z]+)+: `)

// commandNames matches parts of messages that name commands, in parentheses or at the
// end.
var commandNames = regexp.MustCompile(` \([^()]*[A-Z]\.[A-Z][^()]*\)|[;:,] [^():,;]*[A-Z]{2}\.[A-Z]{2}[^()]*$`)

// Wording returns the message of a failure for people.
func Wording(failure *fault.Error) string {
	switch {
	case failure.Service:
		return Sentence(failure.Message)
	case failure.Code == fault.RateLimited:
		return "Too many attempts. Wait " + Span(failure.RetryAfter) + ", then try again."
	case errors.Is(failure, challenge.ErrGone):
		return "This is no longer valid: it was already used or has expired. Start again."
	case !failure.Public():
		return "Something went wrong on our side."
	case failure.Code == fault.Unknown:
		return "This is not available here."
	default:
		return Sentence(commandNames.ReplaceAllString(oauthWord.ReplaceAllString(failure.Message, ""), ""))
	}
}

// Sentence returns a message with a capital letter and a final period.
func Sentence(message string) string {
	first, size := utf8.DecodeRuneInString(message)
	if size == 0 {
		return ""
	}
	message = string(unicode.ToUpper(first)) + message[size:]
	if last, _ := utf8.DecodeLastRuneInString(message); strings.ContainsRune(".!?…", last) {
		return message
	}
	return message + "."
}

// Span formats a duration, rounded up.
func Span(d time.Duration) string {
	switch seconds := int((d + time.Second - 1) / time.Second); {
	case seconds <= 1:
		return "a second"
	case seconds < 120:
		return strconv.Itoa(seconds) + " seconds"
	case seconds < 2*3600:
		return strconv.Itoa((seconds+59)/60) + " minutes"
	default:
		return strconv.Itoa((seconds+3599)/3600) + " hours"
	}
}

// ago formats the time since at.
func ago(at, now time.Time) string {
	passed := now.Sub(at)
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return strconv.Itoa(n) + " " + unit + "s ago"
	}
	const day = 24 * time.Hour
	switch {
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return count(int(passed/time.Minute), "minute")
	case passed < day:
		return count(int(passed/time.Hour), "hour")
	case passed < 30*day:
		return count(int(passed/day), "day")
	default:
		return "on " + Date(at)
	}
}

// Date formats a day.
func Date(at time.Time) string { return at.UTC().Format("January 2, 2006") }

// waitFor sets the status 429 and Retry-After.
func (v *Visit) waitFor(failure *fault.Error) {
	v.Status = inbound.StatusOf(failure)
	v.Writer.Header().Set("Retry-After", strconv.Itoa(max(1, int((failure.RetryAfter+time.Second-1)/time.Second))))
}

// problem shows the page of an error.
func (v *Visit) problem(err error) error {
	shown := problemData{Title: "Something went wrong", Text: "This is our fault. Try again in a moment.", Back: v.here()}
	v.Status = http.StatusInternalServerError
	failure, isFault := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, ErrNoPage):
		return v.notFound()
	case errors.Is(err, ErrForeign):
		shown, v.Status = problemData{Title: "Please try again", Text: "This form has expired or was sent from another site. Nothing was changed.", Back: v.here()}, http.StatusForbidden
	case errors.Is(err, errForm), errors.Is(err, client.ErrParams):
		shown, v.Status = problemData{Title: "Please try again", Text: "The form could not be read.", Back: v.here()}, http.StatusBadRequest
	case isFault && failure.Service:
		shown = problemData{Title: "Not available now", Text: Wording(failure), Back: v.here()}
		v.waitFor(failure)
	case isFault && failure.Code == fault.RateLimited:
		shown = problemData{Title: "Too many requests", Text: Wording(failure), Back: v.here()}
		v.waitFor(failure)
	case isFault && failure.Code != fault.Internal:
		shown, v.Status = problemData{Title: "That did not work", Text: Wording(failure), Back: v.here()}, inbound.StatusOf(failure)
	case !isFault:
		v.Site.Logger.ErrorContext(v.Request.Context(), "page failed", "path", v.Request.URL.Path, "error", err)
	}
	if v.Status == http.StatusInternalServerError {
		shown.Reference = v.Writer.Header().Get("X-Request-Id")
	}
	return v.Show("problem", shown.Title, shown)
}

// problemData is the data of the error page.
type problemData struct {
	Title, Text, Back, Reference string
}

// Plural formats a count with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
