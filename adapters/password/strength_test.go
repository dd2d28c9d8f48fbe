package password_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/domain/secret"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	s := password.Strength{}
	for _, c := range []struct {
		plain  string
		hints  []string
		scores string
		common bool
	}{
		{"", nil, "0", false},
		{"password", nil, "0", true},
		{"PassWord", nil, "0", true},
		{"1qaz2wsx", nil, "0", true},
		{"jennifer", nil, "0", true},
		{"Elizabeth", nil, "0", true},
		{"password1", nil, "0", true},
		{"88888888", nil, "0", true},
		{"87654321", nil, "0", true},
		{"0987654321", nil, "0", true},
		{"abcdefgh", nil, "0", true},
		{"123123123", nil, "0", true},
		{"testtest", nil, "0", true},
		{"........", nil, "0", true},
		{strings.Repeat("a", 72) + "xkQvLmZpWrTyBnCsDfGh", nil, "01", false},
		{"xpassword", nil, "01", false},
		{"qwertyuiop[]", nil, "01", false},
		{"D0g..................", nil, "01", false},
		{"correct horse battery staple", nil, "4", false},
		{"x8#kQ0vL2m!9ZpW7rT4y", nil, "4", false},
		{"x8#kQ0vL2m!9ZpW7rT4yB6nC1sD3fG5hJ)aE(uI*oO&eU^iY%tR$wK@lMqN+bV=cXzxP;:,.", nil, "4", false},
		{"квартира лошадь скрепка", nil, "4", false},
		{"длинный-хлеб-музыка", nil, "4", false},
		{"ççççççççççç", nil, "0", true},
		{"абвгдежзийкл", nil, "0", true},
		{"٠١٢٣٤٥٦٧٨٩", nil, "0", true},
		{"鸡鸡鸡鸡鸡鸡鸡鸡", nil, "0", true},
		{"хлебхлебхлеб", nil, "12", false},
		{"Наталья Гончарова", nil, "4", false},
		{"Наталья Гончарова", []string{"НАТАЛЬЯ Гончарова"}, "0", false},
		{"\xff\xfe", nil, "0", false},
		{"zorbathian", nil, "34", false},
		{"zorbathian", []string{"Zorbathian"}, "0", false},
		{"zorbathian", []string{"alice.zorbathian@example.com"}, "0", false},
		{"qw-kz-vb", nil, "2", false},
		{"qw-kz-vb", []string{"QW-kz-vb"}, "0", false},
		{"Zorbathian Quixley", nil, "4", false},
		{"Zorbathian Quixley", []string{"Quixley, Zorbathian"}, "123", false},
	} {
		got := s.Estimate(secret.New(c.plain), c.hints...)
		if !strings.Contains(c.scores, string(rune('0'+got.Score))) || got.Common != c.common {
			t.Errorf("Estimate(%q, %q) = %+v, want a score of %s and common %v", c.plain, c.hints, got, c.scores, c.common)
		}
	}
}

// What follows a cut does not count: a guessable beginning stays guessable.
func TestEstimateCuts(t *testing.T) {
	t.Parallel()
	s := password.Strength{}
	const strong = "xkQvLmZpWrTyBnCsDfGh"
	for name, weak := range map[string]string{
		"72 runes":           strings.Repeat("a", 72),
		"24 with look-alike": "p4$$w0rd1!p4$$w0rd1!p4$$",
	} {
		if got := s.Estimate(secret.New(weak+strong), weak).Score; got > 2 {
			t.Errorf("%s: score %d, of what is behind the cut", name, got)
		}
		if got := s.Estimate(secret.New(strong+weak), weak).Score; got != 4 {
			t.Errorf("%s: score %d the other way round", name, got)
		}
	}
	// Invalid UTF-8 scores 0, unless it is behind the cut.
	for text, want := range map[string]int{strong + strings.Repeat("😀", 52) + "\xff": 4, strong + strings.Repeat("😀", 51) + "\xff": 0} {
		if got := s.Estimate(secret.New(text)).Score; got != want {
			t.Errorf("%d bytes score %d, want %d", len(text), got, want)
		}
	}
}

// phraseWords are ordinary words in ten scripts.
func phraseWords() map[string]string {
	return map[string]string{
		"Arabic":     "كتاب شمس طريق مدينة قهوة نافذة جبل مفتاح حديقة سفينة مطر خبز",
		"Armenian":   "գիրք արեւ ճանապարհ քաղաք սուրճ պատուհան լեռ բանալի այգի նավ անձրեւ հաց",
		"Chinese":    "电脑 音乐 面包 窗户 山路 钥匙 花园 轮船 下雨 书店 咖啡 老虎",
		"Cyrillic":   "длинный хлеб музыка окно дорога город кофе гора ключ сад корабль дождь",
		"Devanagari": "किताब सूरज सड़क शहर चाय खिड़की पहाड़ चाबी बगीचा जहाज़ बारिश रोटी",
		"Georgian":   "წიგნი მზე გზა ქალაქი ყავა ფანჯარა მთა გასაღები ბაღი გემი წვიმა პური",
		"Greek":      "βιβλίο ήλιος δρόμος πόλη καφές παράθυρο βουνό κλειδί κήπος πλοίο βροχή ψωμί",
		"Hangul":     "컴퓨터 음악 창문 도시 커피 바다 열쇠 정원 기차 하늘 도서관 호랑이",
		"Hebrew":     "ספר שמש דרך עיר קפה חלון הר מפתח גינה ספינה גשם לחם",
		"Japanese":   "でんしゃ おんがく まど 図書館 コーヒー やま かぎ 庭園 ふね あめ パン とら",
		"Thai":       "หนังสือ ดวงอาทิตย์ ถนน เมือง กาแฟ หน้าต่าง ภูเขา กุญแจ สวน เรือ ฝน ขนมปัง",
	}
}

// Of three ordinary words in whichever script, none is common or weak.
func TestEstimatePhrasesOfAllScripts(t *testing.T) {
	t.Parallel()
	const weakest = 2
	s := password.Strength{}
	for script, list := range phraseWords() {
		words := strings.Fields(list)
		for i := range words {
			for j := range words {
				phrase := words[i] + "-" + words[j] + "-" + words[(i+5*j+3)%len(words)]
				if i == j || utf8.RuneCountInString(phrase) < 10 {
					continue
				}
				if got := s.Estimate(secret.New(phrase)); got.Common || got.Score < weakest {
					t.Errorf("%s: Estimate(%q) = %+v", script, phrase, got)
				}
			}
		}
	}
}

// hostilePasswords are what made the library slow, each far beyond its budget
// without a cut.
func hostilePasswords() map[string]string {
	return map[string]string{
		"leet":       strings.Repeat("4@8({[<36910!|$5+7%2", 50),
		"leet 5":     "3[(||(((1[31[|(|33|31|(131([((1[1((3([[[1||[333((1|(([|333|1|[[|1|3(33(3",
		"leet 4":     "77%++|+%|||+|%|77+%+%|7|||777+77|+7%%7++7+|+|+|7+%%%|%+77%77+%|7%%7+%|%7",
		"repeat":     strings.Repeat("a", 100_000),
		"emoji":      strings.Repeat("😀😁😂🤣😃", 200),
		"emoji leet": strings.Repeat("😀4😁3", 100),
		"digits":     strings.Repeat("1234567890", 100),
		"mixed":      strings.Repeat("x8#kQ0vL2m!9ZpW7rT4y", 50),
	}
}

// The budget is 25 ms; BenchmarkEstimate measures it. This leaves room for the
// race detector: uncut, most of these take seconds to hours. Time is the thread's own,
// so that a busy machine does not count.
func TestEstimateIsBounded(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := password.Strength{}
	hints := make([]string, 0, 1000)
	for i := range 1000 {
		hints = append(hints, strings.Repeat("a", i))
	}
	for name, plain := range hostilePasswords() {
		best := time.Hour
		for range 3 {
			start := busy(t)
			s.Estimate(secret.New(plain), hints...)
			best = min(best, busy(t)-start)
		}
		if best > time.Second {
			t.Errorf("%s took %v", name, best)
		}
	}
}

// busy returns the processor time that the calling thread has used.
func busy(t *testing.T) time.Duration {
	t.Helper()
	const thread = 1 // RUSAGE_THREAD, which package syscall does not name
	var used syscall.Rusage
	if err := syscall.Getrusage(thread, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func FuzzEstimate(f *testing.F) {
	for _, plain := range hostilePasswords() {
		f.Add(plain, "hint")
	}
	f.Add("\xff", "\xff")
	f.Add("ıİſK", "İstanbul")
	s := password.Strength{}
	f.Fuzz(func(t *testing.T, plain, hint string) {
		if got := s.Estimate(secret.New(plain), hint); got.Score < 0 || got.Score > 4 {
			t.Fatalf("Estimate(%q, %q) = %+v", plain, hint, got)
		}
	})
}
