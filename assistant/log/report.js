"use strict";
(() => {
  const steps = Array.from(document.querySelectorAll(".step"));
  if (steps.length === 0) return;
  const ticks = Array.from(document.querySelectorAll(".timeline a"));
  const slider = document.getElementById("slider");
  const clock = document.getElementById("clock");
  const play = document.getElementById("play");
  let at = -1;
  let timer = 0;

  function show(wanted) {
    const next = Math.min(Math.max(wanted, 0), steps.length - 1);
    if (next === at) return;
    if (at >= 0) {
      steps[at].classList.remove("current");
      ticks[at].classList.remove("current");
    }
    at = next;
    const step = steps[at];
    step.classList.add("current");
    ticks[at].classList.add("current");
    slider.value = String(at);
    clock.textContent = step.dataset.clock + " · " + (at + 1) + "/" + steps.length;
    const picture = step.dataset.picture && document.getElementById(step.dataset.picture);
    if (picture) step.querySelector(".words").appendChild(picture);
    history.replaceState(null, "", "#step=" + (at + 1));
  }

  function fromAddress() {
    const found = /^#step=(\d{1,6})$/.exec(location.hash);
    if (found) show(Number(found[1]) - 1);
    return found !== null;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶";
  }

  document.getElementById("previous").addEventListener("click", () => { stop(); show(at - 1); });
  document.getElementById("next").addEventListener("click", () => { stop(); show(at + 1); });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    play.textContent = "❚❚";
    timer = setInterval(() => { if (at + 1 < steps.length) show(at + 1); else stop(); }, 1200);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowRight") { stop(); show(at + 1); }
    if (event.key === "ArrowLeft") { stop(); show(at - 1); }
  });
  let touchX = null;
  const stage = document.querySelector(".steps");
  stage.addEventListener("touchstart", (event) => { touchX = event.changedTouches[0].clientX; }, { passive: true });
  stage.addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - touchX;
    if (Math.abs(moved) > 60) { stop(); show(at + (moved < 0 ? 1 : -1)); }
  }, { passive: true });
  window.addEventListener("hashchange", fromAddress);

  slider.max = String(steps.length - 1);
  document.body.classList.add("stepping");
  if (!fromAddress()) show(0);
})();
