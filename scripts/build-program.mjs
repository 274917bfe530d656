// Builds the command line with what it needs of node_modules, so that a start reads a few files instead of 1,700.
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const entries = ['main', 'backup-worker', 'healthcheck-alone'];

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  // An optional part of pg, which is not installed.
  ssr: { noExternal: true, external: ['pg-native'] },
  build: {
    ssr: true,
    target: 'node24',
    // As deep as `src/cli`: what the program finds beside itself, such as `config/default.yaml`, is in its place.
    outDir: 'dist/cli',
    emptyOutDir: true,
    copyPublicDir: false,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [name, join(root, `src/cli/${name}.ts`)])),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
