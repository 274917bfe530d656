import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Compresses each asset once, so that the bridge sends it as it is. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle({ dir = '.' }) {
      const assets = join(dir, 'assets');
      for (const name of readdirSync(assets)) {
        const path = join(assets, name);
        const plain = readFileSync(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
        writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }));
        writeFileSync(`${path}.gz`, gzipSync(plain));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compress()],
  build: {
    outDir: join(import.meta.dirname, '../dist/console/ui'),
    emptyOutDir: true,
    // No data: addresses, which the policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // kB before compression; an operator's page is loaded once and kept.
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      // How long a part of the build takes on a busy machine is no warning.
      checks: { bundlerTimings: false },
      onwarn({ message }) {
        throw new Error(message);
      },
    },
  },
  server: {
    proxy: { '/ops': 'http://127.0.0.1:8080', '/console/session': 'http://127.0.0.1:8080' },
  },
});
