import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { FIRST_LOADS, FRAME_READS } from './app/first-loads.ts';

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

/** Writes down what each page loads first, for the bridge that sends the page. */
function listFirstLoads(): Plugin {
  return {
    name: 'first-loads',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const named = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(withImports));
      const pages = Object.entries(FIRST_LOADS).map(([path, { module, reads }]) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${module}`));
        if (chunk === undefined) throw new Error(`No chunk is made of ${module}.`);
        const scripts = withImports(chunk).filter((name) => !named.has(name));
        return { path, scripts, reads: [...reads, ...FRAME_READS] };
      });
      this.emitFile({ type: 'asset', fileName: 'first-loads.json', source: JSON.stringify(pages) });

      function withImports({ fileName, imports }: Rolldown.OutputChunk): string[] {
        const imported = chunks.filter((chunk) => imports.includes(chunk.fileName));
        return [...new Set([fileName, ...imported.flatMap(withImports)])];
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compress(), listFirstLoads()],
  build: {
    outDir: join(import.meta.dirname, '../dist/console/ui'),
    emptyOutDir: true,
    // No data: addresses, which the policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // kB before compression; an operator's page is loaded once and kept.
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: { '/ops': 'http://127.0.0.1:8080', '/console/session': 'http://127.0.0.1:8080' },
  },
});
