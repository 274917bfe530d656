import { isBuiltin, registerHooks } from 'node:module';

/** Vitest's mark of a file that it imports itself: by it the file would be another one in every run. */
const MARK = /%3Fvitest=\d+$/;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (isBuiltin(specifier)) {
      const url = specifier.startsWith('node:') ? specifier : `node:${specifier}`;
      return { url, format: 'builtin', shortCircuit: true };
    }
    const { parentURL } = context;
    if (parentURL !== undefined && isOwn(specifier, parentURL))
      return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    // Without the mark Node finds the compiled file in its cache.
    return nextResolve(specifier.replace(MARK, ''), context);
  },
});

function isOwn(specifier: string, parentUrl: string): boolean {
  return (
    specifier.startsWith('.') && specifier.endsWith('.ts') && !parentUrl.includes('/node_modules/')
  );
}
