// The script of the Paddle checkout page: it initializes Paddle.js, which opens the
// transaction in the query parameter _ptxn.
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
