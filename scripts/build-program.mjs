// Builds the command line with what it needs of node_modules, so that a start reads a few files instead of 1,700.
import { join } from 'node:path';
import { buildBeside } from './build-beside.mjs';

const root = join(import.meta.dirname, '..');

/**
 * Leaves ASCII alone in the program: V8 keeps a text with any other character in twice the memory, and the source of
 * each file as long as the process runs.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = toAscii(file.code);
  },
};

function toAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Parts of packages that a start would read or run, and the program does not use. */
const UNUSED = [
  // `fetch` without its forms, mocks, caches, HTTP/2, and what changes requests on their way.
  {
    importer: /undici\/index\.js$/,
    source: /^\.\/lib\/(?:web\/(?!fetch\/formdata)|mock\/|cache\/|interceptor\/)/,
  },
  { importer: /undici\/lib\/dispatcher\/client-h2\.js$/, source: /^node:http2$/ },
  // A second parser of HTTP/1, which has to be asked for.
  { importer: /undici\/lib\/dispatcher\/parser-h1\.js$/, source: /^\.\.\/milo\// },
  // Queries and forms are read by Node's own `querystring`.
  { importer: /(?:express|body-parser)\/lib\/.*\.js$/, source: /^qs$/ },
];

const unused = {
  name: 'unused',
  resolveId: (source, importer = '') =>
    UNUSED.some((part) => part.importer.test(importer) && part.source.test(source))
      ? '\0unused'
      : undefined,
  load: (id) =>
    id === '\0unused'
      ? 'module.exports = new Proxy({ constants: {} }, { get: (had, name) => had[name] ?? class {} });'
      : undefined,
};

// As deep as `src/cli`: what the program finds beside itself, such as `config/default.yaml`, is in its place.
await buildBeside(join(root, 'dist/cli'), {
  configFile: false,
  root,
  logLevel: 'warn',
  plugins: [{ ...unused, enforce: 'pre' }, asciiOnly],
  // An optional part of pg, which is not installed.
  ssr: { noExternal: true, external: ['pg-native'] },
  build: {
    ssr: true,
    target: 'node24',
    copyPublicDir: false,
    rolldownOptions: {
      input: { main: join(root, 'src/cli/main.ts') },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // Names stay as they are, for the stacks of errors.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        comments: false,
      },
    },
  },
});
