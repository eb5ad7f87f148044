package tf

import "strconv"

// quote shows a value in a message: quoted, and short enough to read.
func quote(text string) string {
	if runes := []rune(text); len(runes) > 100 {
		return strconv.Quote(string(runes[:100])) + "..."
	}
	return strconv.Quote(text)
}
