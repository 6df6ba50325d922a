import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { catalogueUrl } from "./language.svelte";
import { begin, route } from "./route.svelte";
import { SCREENS } from "./screens";

const app = document.getElementById("app")!;

/** Without its words the page can only offer to try again. */
function tryAgain(): void {
  const button = document.createElement("button");
  button.className = "button reload";
  button.textContent = "↻";
  button.onclick = () => location.reload();
  app.replaceChildren(button);
}

/** Keep what this reader needs to come back to without a line. */
async function keepForLater(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage([catalogueUrl(), "/api/games"]);
}

/** The words and the first screen come together. Not awaited by the module itself: screens import from its file. */
async function start(): Promise<void> {
  const { screen } = route();
  await Promise.all([begin(), screen === "nowhere" || SCREENS[screen]()]);
  mount(App, { target: app });
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    void navigator.serviceWorker.register("/sw.js").then(keepForLater, () => undefined);
  }
}

start().catch(tryAgain);
