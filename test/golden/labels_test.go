package golden_test

import (
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/label"
)

// The labels of digests and keys keep their bytes, however the code is renamed: what is stored
// under one is found and opened under no other. The sums were taken from the release that stored
// the first of them; a new label adds a line, and no line ever changes.
func TestLabels(t *testing.T) {
	t.Parallel()
	key := []byte("golden key of 32 bytes, not used")
	blinder := cipher.NewBlinder(key)
	declared := labels(t)
	for line := range strings.Lines(strings.TrimSpace(labelSums)) {
		fields := strings.Fields(line)
		value, known := declared[fields[0]]
		if delete(declared, fields[0]); !known {
			t.Errorf("label.%s is gone, under which values are stored", fields[0])
			continue
		}
		if got := blinder.Index(value, "value"); got != fields[1] {
			t.Errorf("label.%s = %q: the blind index is %s, want %s", fields[0], value, got, fields[1])
		}
		if got := hex.EncodeToString(cipher.Derive(key, value, 8)); got != fields[2] {
			t.Errorf("label.%s = %q: the derived key is %s, want %s", fields[0], value, got, fields[2])
		}
	}
	for name, value := range declared {
		t.Errorf("label.%s is not pinned: add the line %s %s %s", name, name, blinder.Index(value, "value"), hex.EncodeToString(cipher.Derive(key, value, 8)))
	}
}

// What an earlier release encrypted is opened.
func TestSealedValues(t *testing.T) {
	t.Parallel()
	keys, err := cipher.ParseKeys("k1:Z29sZGVuIGtleSBvZiAzMiBieXRlcywgbm90IHVzZWQ=")
	if err != nil {
		t.Fatal(err)
	}
	answers := cipher.FromSecret("golden secret of JWT_SECRET, not used", label.StoredAnswers, system.Random{})
	for name, open := range map[string]func() (string, error){
		"under ENCRYPTION_KEY": func() (string, error) {
			return cipher.New(keys, system.Random{}).Open("enc:k1:BG1YWTrGznze7PBr5TBynq_PkvNGMp825pN4qwo4V5Pi", "licenses/key/1")
		},
		"under JWT_SECRET": func() (string, error) {
			return answers.Open("enc:PKD_XiRo:1lM7L-PZthYt2PdjsaD0cJoURVXylthPB3izeh-G0zDE", "answers/1")
		},
	} {
		if got, err := open(); got != "value" || err != nil {
			t.Errorf("%s: opened %q, %v", name, got, err)
		}
	}
}

// labels returns the constants of package label by name.
func labels(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../domain/label/label.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[spec.Names[0].Name] = value
		}
		return true
	})
	return found
}

const labelSums = `
Email cGyVUoFB63Y-rLH3LMdBDg 9ce18f56c89da53f
ExternalID UzH3mCqzlIPbKyaB57AbUA ea8aaf4fc7e01899
IP hbbv8Qm3hgkoQ1QJQCe6aQ 9e67140259c78b13
UpstreamID dOBaBqwhSH0DxMpHB-oudw 16f9022e2adc2542
SearchPart j2ONfOfTeIsB94Jq3AxhaA fe5d9ecb9aeb7101
SearchWord VAXMSHpJpSjNyyr2S7Q-TA 79603f672c05d0c5
LicenseKey 43Zy5F1fhOopXa0ZixU59w 712b37521b3ea387
Machine TfrqFNY02VG0Eku5MD7PSg 592c737389762a4e
LicenseUse kZYUL-FpkA4z4PedDVa_8w 6dbee3a6992b91a1
LeaseUser rnUQ6JE_vgeiT4DlYwySzQ 9fedd13ef5d4a956
SubscriptionUse OXl6P4EtupLw3DAOD5xrKA 51f445bd478c421f
ChallengeCode 0COgo8Oyl6rHXqtFsTUe0g 0e177fdbe8a3aa6a
LoginCodes wvWPEgbKOvcnuOOYoF3O5w 20aaf18d6f995aeb
OAuthUserCode HGi31zgxfBkdglrtbvTeDA 7b9a1161b4d2e87e
Idempotency lljkar8JRBekZWyAdYnwjA acc63ea9c765dbda
IdempotencyBody 1eGvgabtaP7Y1nQAhzCQ4g 9722b6c475074467
Form KDpyKsR_4_NBhKyBFM_6PQ 6450bbc07406d6eb
SessionForm ICeSsUNvOdA4ITmBCSy2tQ 83a3a5fd9bd5db0b
RedisInstance H7QY5W-YCZ-J8-Fy-hTTZg 0475b970f3f74ea3
RateLimit -qfJK6G6j7pcbdA6qS1u5g ade777b7908964c6
RateLimitFailures ljq72gne5FebJldt3wLR3w 97de76deb254ad8b
FlowRateLimit naihE3Py-_QdSdzA4_Zmaw 66a4d5adea045930
InvitationsWorkspace yX5c0HfObNVJ8rMBUDpckw 814f97483a31da82
InvitationsInviter ANL6FnnRAykSsLBseqsG4Q 5daaa42202c67a83
InvitationsInstance RipVSA1MnjV3UzSdn2tiAA 4e126f8eb529ae50
InvitationsMailbox QnUlnqhXYlY2MMZ2OEd7DA 5d201b89b54c9ba0
Mailbox cNVdYVWz1qv4h-tfwhW5TQ c841fb6241ac20ba
MailboxNotices 7tyzYqaX4eZITYWnxARfmg e6e12bd6f8eeb6a8
MailboxUnproved LMpgPvVuFxU-havfAqvC1w 8ce4617a0f80d596
MailboxFactors _oBEYFSQXbkz7QHZMQtfXQ b18afa4c5b43ef4a
MailboxChanges iBA9UR7QPgjFrAzJ02zoJg 03b0e21155a7692e
RefreshToken KWuPOg8YQ93rwmjNX3diDA b0ea059fba682aa8
RefreshTokenSuccessor n6N6nHTUAH1_B3x5f9t1FQ 76b9d64ecac1e337
OAuthCode ApMZ6lmPUorLjRZOJmmL2g dbdb907656047c0e
OAuthRefresh TnvGTk-bAkpOG8oO_u9v5A 72ad44a9258bb70b
OAuthSuccessor W87llMj75T5yQRUYaDfJ5w 24698bae081d8d06
OAuthDevice pc9iRYRN3I0VrTtuoJZoGw 72eab25f72affee4
OAuthSubject PupPYN50FMtJvWKLvOrTWA 9a5675543c775ffa
Cursor rhcT8suSum2osNTaGvnYCw a3787a85fa98f0e8
List VSCnRm98snMUk7E_zgXbfA dda96e8ff6e64a08
FlowSecret LrYy9HhC56JeqNKPy50unQ c355361fc056a2b1
KeyNamespace 29B5M-O8-jfae-YwrQLeBA 0438c7546bf0ccf5
Seal IerGiikdQnM4pNu80G2tpQ ee66acaeff6af671
KeyID SaJ2unqBzvxbabBE7DGXng b195a1be5c15a5a0
SigningKeys VPEfCDpW3wscX6EQgT4D0w 3a829a22c2dda614
StoredAnswers ZKjHIl6SM8xciJaEBADIKA 6d4f9ec5285969ea
BrowserSessions 1PjQ2mpEFXT--gIYc_B5-w 8ffbe943a1710661
PendingRequests mio-jZG2xR1HqWEs9FmHXg 7a3ef98e3e38bc23
RefreshTokens cIQdA-erGM4Opdww-xtIUA ba94087af72f43e5
PageCursors iB90Y2Lt4oMRDDMWFChzvg f053ee2f16428a77
PageForms LzIkyMPH-uBa8MMGKY9MzA 6f98616e5fa3e36e
FlowQuestions Gd0PwSlT2-FY73OOGq74ag 2597ee0f4cb235ba
PaymentSandbox W1BjDYmUN9dIR7TX9ymNGw 043230d9e8b0f5ea
`
