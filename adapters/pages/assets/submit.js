// An answer to an application is posted at once. This is a file by itself, in the JavaScript
// that all clients know: there may be more of them here than browsers.
document.querySelector("form[data-submit]").submit();
