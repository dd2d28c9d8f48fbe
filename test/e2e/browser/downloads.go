package browser

import (
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Downloads lets the tab save files, and returns where.
func (w *Tab) Downloads() string {
	w.T.Helper()
	directory := w.T.TempDir()
	_, err := chromedp.CallBrowser(w.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(w.Ctx).BrowserContextID, DownloadPath: directory,
	})
	w.Must(err)
	return directory
}
