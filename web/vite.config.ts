import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { TYPEFACE, typeface } from "./typeface.ts";

const worker = fileURLToPath(new URL("src/worker.js", import.meta.url));

// What is loaded only when it is needed; everything else is one file.
const LATER_PARTS = [
  ...["New", "Gathering", "Invite", "Round", "Me", "Mine", "Games"],
  ...["Learn", "Rules", "Rich", "Manual", "Help", "Explain", "Dice"],
  ...["Finished", "End", "Outcome", "Points", "Podium", "Confetti", "Fair", "Share", "Replay", "Log", "Menu", "Cover", "Emote", "Clock", "Corner", "Bulb", "Hint", "Worth"],
];
const LATER_CODE = ["scripted.svelte", "lessons", "rules", "proof", "ending", "poster", "hints"];
// Of Svelte itself: what only such parts need, to move lines of a table and to fill in forms.
const LATER_SVELTE = ["transitions", "bindings/input"];
const LATER = new RegExp(
  `/(${LATER_PARTS.join("|")})\\.svelte|/(${LATER_CODE.join("|")})\\.ts|/elements/(${LATER_SVELTE.join("|")})\\.js|lean-qr`,
);

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

/** The package a module of the bundle comes from, if it is not our own. What bundlers add is named `\0vite/…`. */
function packageOf(id: string): string | undefined {
  return id.match(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? id.match(/^\0([a-z-]+)\//)?.[1];
}

/** The licence of a package, without those of what it is made with. */
function licenceOf(name: string): string {
  const folder = fileURLToPath(new URL(`node_modules/${name}/`, import.meta.url));
  const { version, license } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const file = readdirSync(folder).find((found) => /^licen[cs]e(\.|$)/i.test(found));
  if (!file) throw new Error(`${name} is in the bundle, and has no licence that could go with it`);
  const text = readFileSync(folder + file, "utf8").split("# Licenses of bundled dependencies")[0]!;
  return `## ${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** Whose code is in the bundle, with their licences: the file goes wherever the bundle goes. */
function licences(): Plugin {
  return {
    name: "licences",
    apply: "build",
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? Object.entries(part.modules) : []));
      const inside = modules.filter(([, module]) => module.renderedLength > 0);
      const names = new Set(inside.map(([id]) => packageOf(id)).filter((name) => name !== undefined));
      const head = "# Licences\n\nThe page of qwixx holds code of these packages, and a typeface.\n";
      const source = [head, ...[...names, TYPEFACE].sort().map(licenceOf)].join("\n");
      this.emitFile({ type: "asset", fileName: "licences.md", source });
    },
  };
}

export default defineConfig({
  plugins: [svelte(), ...(process.env["VITEST"] ? [] : [typeface()]), serviceWorker(), licences()],
  build: {
    outDir: "../src/qwixx/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    // One file for what everybody needs; small files cost more than they save.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", test: (id) => !LATER.test(id) }] } } },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8737", ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
