import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

// A style belongs to the component whose name its classes have: shorter than a hash, of which each would be in every rule.
export default { preprocess: vitePreprocess(), compilerOptions: { runes: true, cssHash: ({ name }) => name } };
