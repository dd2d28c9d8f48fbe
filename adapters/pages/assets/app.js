// The script of all pages. It prevents forms from being submitted twice, reveals
// passwords, shows their strength, copies and prints secrets, and runs WebAuthn
// ceremonies: a form with data-passkey is shown if the browser supports passkeys;
// its button requests a challenge from data-options and submits the form with the
// authenticator's response. Everything else works without JavaScript.
"use strict";

const known = window.PublicKeyCredential &&
  PublicKeyCredential.parseCreationOptionsFromJSON && PublicKeyCredential.parseRequestOptionsFromJSON;

// pending aborts the running WebAuthn request, if any.
let pending = null;

async function challenge(form) {
  const answer = await fetch(form.dataset.options, {
    method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" },
  });
  const said = await answer.json().catch(() => ({}));
  if (said.go) {
    location.assign(document.documentElement.dataset.root + said.go.slice(1));
    return null;
  }
  if (!said.options) throw new Error(said.message || "Reload this page and try again.");
  const options = said.options.publicKey || said.options;
  return { options, id: said.challenge_id || "" };
}

async function credential(kind, options, mediation) {
  pending?.abort();
  pending = new AbortController();
  const signal = pending.signal;
  if (kind === "create") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return navigator.credentials.get({ publicKey, mediation, signal });
}

function say(form, text) {
  const place = form.querySelector("[data-message]");
  place.textContent = text;
  place.hidden = text === "";
}

// copied copies the fields data-fields of the form data-from; it returns false if one
// of them is invalid.
function copied(form) {
  const from = document.getElementById(form.dataset.from || "");
  if (!from) return true;
  for (const name of form.dataset.fields.split(" ")) {
    const field = from.elements[name];
    if (!field.reportValidity()) return false;
    form.elements[name].value = field.value;
  }
  return true;
}

function send(form, answered, id) {
  form.elements.credential.value = JSON.stringify(answered.toJSON());
  if (form.elements.challenge_id) form.elements.challenge_id.value = id;
  form.submit();
}

async function run(form, mediation) {
  const begun = await challenge(form);
  if (!begun) return;
  const answered = await credential(form.dataset.passkey, begun.options, mediation);
  if (answered) send(form, answered, begun.id);
}

async function clicked(event) {
  event.preventDefault();
  const form = event.currentTarget;
  if (form.hasAttribute("aria-busy") || !copied(form)) return;
  say(form, "");
  form.setAttribute("aria-busy", "true");
  try {
    await run(form, "optional");
  } catch (problem) {
    say(form, wording(problem));
  } finally {
    form.removeAttribute("aria-busy");
  }
}

function wording(problem) {
  switch (problem.name) {
    case "NotAllowedError":
    case "AbortError":
      return "This was canceled or took too long. Try again.";
    case "InvalidStateError":
      return "This device already has a passkey for your account.";
    case "SecurityError":
      return "Passkeys don't work at this address.";
    default:
      return problem.message || "That did not work. Try again.";
  }
}

// offer starts conditional mediation (passkey autofill). It requests a new challenge
// before the previous one expires, and when the page becomes visible again, because
// timers are throttled while it is hidden or the machine sleeps.
async function offer(form) {
  if (!PublicKeyCredential.isConditionalMediationAvailable) return;
  if (!await PublicKeyCredential.isConditionalMediationAvailable()) return;
  const renewEvery = 4 * 60 * 1000;
  let begun = 0;
  const renew = () => {
    if (document.hidden || form.hasAttribute("aria-busy") || Date.now() - begun < renewEvery) return;
    begun = Date.now();
    run(form, "conditional").catch(() => {});
  };
  renew();
  setInterval(renew, 10 * 1000);
  document.addEventListener("visibilitychange", renew);
}

// once prevents a form from being submitted again while its response is pending:
// browsers show only the last response, so a secret in the first one would be lost.
// After ten seconds the form can be submitted again, in case the request was canceled.
function once(event) {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.hasAttribute("aria-busy")) {
    event.preventDefault();
    return;
  }
  form.setAttribute("aria-busy", "true");
  setTimeout(() => form.removeAttribute("aria-busy"), 10 * 1000);
}

document.addEventListener("submit", once);

// reveal adds a button that shows a password. The field is hidden again on submit, so
// that browsers do not store the password as form history.
function reveal(template) {
  const field = document.getElementById(template.dataset.reveal);
  const button = template.content.firstElementChild.cloneNode(true);
  const show = on => {
    field.type = on ? "text" : "password";
    button.setAttribute("aria-pressed", String(on));
  };
  button.addEventListener("click", () => show(field.type === "password"));
  field.form.addEventListener("submit", () => show(false));
  template.replaceWith(button);
}

// weigh shows the strength of a new password after a pause in typing.
function weigh(place) {
  const field = document.getElementById(place.dataset.strength);
  const words = place.querySelector("[aria-live]");
  let waiting = 0;
  const ask = async () => {
    const asked = field.value;
    const body = new URLSearchParams({ csrf: field.form.elements.csrf.value, password: asked });
    const email = field.form.elements.email || field.form.elements.username;
    if (email?.value && email.validity.valid) body.set("email", email.value);
    const answer = await fetch(place.dataset.ask, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok) return tell(null);
    const said = await answer.json();
    if (field.value === asked) tell(said);
  };
  const tell = said => {
    place.dataset.level = said ? (said.taken ? said.level : 0) : "";
    const text = said ? said.words : "";
    if (words.textContent !== text) words.textContent = text;
  };
  // Reserve the space at once, so that the layout does not shift.
  place.hidden = false;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    if (field.value === "") return tell(null);
    waiting = setTimeout(() => ask().catch(() => tell(null)), 400);
  });
}

// copy copies a text to the clipboard, and shows the result on the button.
async function copy(button) {
  const before = button.textContent, status = button.parentElement.querySelector("[role=status]");
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    said = "Not copied";
  }
  button.textContent = said;
  if (status) status.textContent = said;
  setTimeout(() => {
    button.textContent = before;
    if (status) status.textContent = "";
  }, 2000);
}

for (const template of document.querySelectorAll("template[data-reveal]")) reveal(template);
for (const place of document.querySelectorAll("[data-strength]")) weigh(place);
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard; // undefined outside of secure contexts
  button.addEventListener("click", () => copy(button));
}
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// An open menu closes on a click outside of it, or on Escape.
for (const menu of document.querySelectorAll("details.switcher")) {
  document.addEventListener("click", event => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// The page was restored from the back/forward cache.
addEventListener("pageshow", shown => {
  if (!shown.persisted) return;
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
});

for (const said of document.querySelectorAll("[data-unknown]")) said.hidden = Boolean(known);

if (known) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", clicked);
    if ("conditional" in form.dataset) offer(form);
  }
}
