import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const worker = fileURLToPath(new URL("src/worker.js", import.meta.url));

/** The service worker, told which files make up the page's shell. */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    generateBundle(_, bundle) {
      const shell = new Set<string>();
      const add = (name: string): void => {
        const file = bundle[name];
        if (file?.type !== "chunk" || shell.has(`/${name}`)) return;
        shell.add(`/${name}`);
        for (const css of file.viteMetadata?.importedCss ?? []) shell.add(`/${css}`);
        file.imports.forEach(add);
      };
      for (const file of Object.values(bundle)) if (file.type === "chunk" && file.isEntry) add(file.fileName);
      const source = readFileSync(worker, "utf8").replace("[/* shell */]", JSON.stringify(["/", ...[...shell].sort()]));
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
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8737", ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
