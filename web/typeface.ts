/** The page's face, Baloo 2, cut down to the letters and weights the page uses: one file for everybody, one for Polish,
 * and two with the other letters of people's names, which nobody loads who meets none. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import subset from "subset-font";
import type { Plugin } from "vite";

export const TYPEFACE = "@fontsource-variable/baloo-2";

export const COMMON =
  " !\"#%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" +
  "ÄÖÜßäöüÁÉÍÑÓÚáéíñóú¿¡ÀÂÃÇÊÔÕàâãçêôõÈËèë\u00a0–—…‘’‚“”„«»·×−•°";
export const POLISH = "ĄĆĘŁŃŚŹŻąćęłńśźż";
export const WESTERN = "ÅÆÌÎÏÐÒØÙÛÝÞåæìîïðòøùûýþÿıŒœ";
/** From Riga to Bucharest and Istanbul. */
export const EASTERN =
  "ĀāĂăĈĉĊċČčĎďĐđĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİĴĵĶķĹĺĻļĽľŅņŇňŌōŎŏŐőŔŕŖŗŘřŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŽžȘșȚț";

/** What stands where app.css looks for it, made from which file of the package. */
export const FILES = [
  { name: "common.woff2", from: "baloo-2-latin-wght-normal.woff2", text: COMMON },
  { name: "polish.woff2", from: "baloo-2-latin-ext-wght-normal.woff2", text: POLISH },
  { name: "western.woff2", from: "baloo-2-latin-wght-normal.woff2", text: WESTERN },
  { name: "eastern.woff2", from: "baloo-2-latin-ext-wght-normal.woff2", text: EASTERN },
];
const MADE = fileURLToPath(new URL("node_modules/.typeface/", import.meta.url));

/** Tabular figures are all it keeps of what the face can do: pairs set closer would cost 5 kB. */
const OPTIONS = {
  targetFormat: "woff2" as const,
  variationAxes: { wght: { min: 500, max: 800 } },
  keepFeatures: ["tnum"],
  noHinting: true,
};

export function typeface(): Plugin {
  const find = createRequire(import.meta.url).resolve;
  return {
    name: "typeface",
    async buildStart() {
      mkdirSync(MADE, { recursive: true });
      for (const { name, from, text } of FILES)
        writeFileSync(MADE + name, await subset(readFileSync(find(`${TYPEFACE}/files/${from}`)), text, OPTIONS));
    },
    /** Asked for with the page itself, not only once its style sheet is there: letters seldom change before one's eyes. */
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => /\/common-[^/]*\.woff2$/.test(name));
        const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` };
        return file ? [{ tag: "link", attrs, injectTo: "head" }] : [];
      },
    },
  };
}
