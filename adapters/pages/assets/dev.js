// The script of the development pages: it filters the list of commands while typing,
// and polls for new mail.
"use strict";

const search = document.querySelector("[data-search]"), commands = [...document.querySelectorAll("[data-command]")];

function narrow() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const one of commands) {
    const text = one.textContent.toLowerCase();
    one.hidden = !words.every(word => text.includes(word));
    if (!one.hidden) found++;
  }
  for (const family of document.querySelectorAll("[data-family]")) {
    family.hidden = !family.querySelector("[data-command]:not([hidden])");
    family.open = words.length > 0;
  }
  document.querySelector("[data-found]").textContent = found === 1 ? "1 command" : found + " commands";
}

if (search && commands.length > 0) {
  search.addEventListener("input", narrow);
  if (location.search === "") search.focus();
}

// The mailbox reloads when a new mail has arrived.
const newest = document.querySelector("[data-newest]");

async function look() {
  if (document.hidden) return;
  const answer = await fetch(document.documentElement.dataset.root + "dev/mail", { headers: { Accept: "application/json" } });
  const { items } = await answer.json();
  if ((items[0]?.id || "") !== newest.dataset.newest) location.reload();
}

if (newest) setInterval(() => look().catch(() => {}), 3000);
