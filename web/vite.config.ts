import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { TYPEFACE, typeface } from "./typeface.ts";

const worker = fileURLToPath(new URL("src/worker.js", import.meta.url));

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const [MAIN, HOME, TABLE, PLAYING, RULES] = [
  here("src/main.ts"),
  here("src/screens/Home.svelte"),
  here("src/screens/Table.svelte"),
  here("src/parts/Playing.svelte"),
  here("src/screens/Rules.svelte"),
];
/** What of Svelte few screens need: fields to fill in, lists that rearrange, curves that measure themselves. Being there
 * does nothing, so it comes with those who use it. */
const FEW = /\/svelte\/.*\/elements\/(bindings\/(input|select|size)|transitions)\.js$/;
type Module = { importedIds: string[]; dynamicallyImportedIds: string[] };
type Modules = { getModuleInfo: (id: string) => Module | null };

/** What comes with a module at once: what it imports, what they import, and so on; not what is imported later. */
function neededBy(start: string, modules: Modules): Set<string> {
  const found = new Set([start]);
  for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** The same for the page and for all that is imported later. */
function needed(modules: Modules): Map<string, Set<string>> {
  const found = new Map([[MAIN, neededBy(MAIN, modules)]]);
  for (const ids of found.values())
    for (const id of ids)
      for (const start of modules.getModuleInfo(id)?.dynamicallyImportedIds ?? [])
        if (!found.has(start)) found.set(start, neededBy(start, modules));
  return found;
}

/** A file each for what home and a table both need, for home alone, for what home shares with other screens, for a table,
 * for a round that is played at it, and for the boards in it, which the rules show too; the rest comes when it is needed.
 * Small files cost more than they save, so nothing else is cut out of these six. */
function files(): (id: string, modules: Modules) => string | null {
  let starts: Map<string, Set<string>> | null = null;
  return (id, modules) => {
    if (FEW.test(id)) return id.endsWith("/select.js") ? "home-shared" : null; // home has boxes to choose from
    starts ??= needed(modules);
    const by = [...starts].filter(([, ids]) => ids.has(id)).map(([start]) => start);
    const atTable = by.includes(TABLE) || by.includes(PLAYING);
    if (by.includes(MAIN) || (by.includes(HOME) && atTable)) return "page";
    if (by.includes(HOME)) return by.length > 1 ? "home-shared" : "home";
    if (by.includes(TABLE)) return "table";
    if (!atTable) return null;
    return by.includes(RULES) ? "board" : "playing";
  };
}

/** The service worker, told which files make up the page's shell. */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      const named = page?.type === "asset" ? String(page.source).match(/\/assets\/[^"]+/g) : null;
      if (!named) this.error("the page names no files");
      const screens = Object.keys(bundle).filter((name) => /^assets\/(home|table|board|playing|own)-/i.test(name));
      const shell = [...named, ...screens.map((name) => `/${name}`)];
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
      const modules = Object.values(bundle).flatMap((part) =>
        part.type === "chunk" ? Object.entries(part.modules) : [],
      );
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
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: FEW, sideEffects: false }] },
      // Each module goes where `files` says, and takes nothing with it.
      output: { codeSplitting: { groups: [{ name: files(), debugName: "files" }], includeDependenciesRecursively: false } },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8737", ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
