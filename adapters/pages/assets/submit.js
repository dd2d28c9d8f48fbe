// Submits a form_post response to the client at once. It is a separate file in ES5, so
// that embedded browsers of clients can run it.
document.querySelector("form[data-submit]").submit();
