// The script of the page where buyers pay by Paddle: it begins Paddle.js, which opens the
// transaction that the address of the page names (_ptxn).
"use strict";

const paddled = document.querySelector("[data-paddle]");

if (paddled && window.Paddle) {
  const { paddle: token, success, cancel } = paddled.dataset;
  let paid = false;
  if ("test" in paddled.dataset) Paddle.Environment.set("sandbox");
  Paddle.Initialize({
    token,
    checkout: { settings: success ? { successUrl: success } : {} },
    eventCallback: ({ name }) => {
      if (name === "checkout.loaded") paddled.hidden = true;
      if (name === "checkout.completed") paid = true;
      if (name === "checkout.closed" && cancel && !paid) location.assign(cancel);
    },
  });
} else if (paddled) {
  paddled.hidden = true;
  document.querySelector("[data-blocked]").hidden = false;
}
