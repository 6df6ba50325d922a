import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { begin } from "./route.svelte";

await begin();
mount(App, { target: document.getElementById("app")! });

if (import.meta.env.PROD && "serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js");
