import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const worker = fileURLToPath(new URL("src/worker.js", import.meta.url));

const LATER = /\/(New|Rules|Rich|End|Replay|Menu)\.svelte|\/proof\.ts|lean-qr/;

/** The service worker, told which files make up the page's shell. */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      const shell = page?.type === "asset" ? String(page.source).match(/\/assets\/[^"]+/g) : null;
      if (!shell) this.error("the page names no files");
      const source = readFileSync(worker, "utf8").replace("[/* shell */]", JSON.stringify(["/", ...shell]));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

export default defineConfig({
  plugins: [svelte(), serviceWorker()],
  build: {
    outDir: "../src/qwixx/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // One file for what everybody needs; small files cost more than they save.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", test: (id) => !LATER.test(id) }] } } },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8737", ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
