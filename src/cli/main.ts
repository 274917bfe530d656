import '../../scripts/check-node.mjs';
import { join } from 'node:path';

// Imported now and not above: an older Node, which the check refuses in words, does not know the name.
const { enableCompileCache } = await import('node:module');
// What is compiled is kept for the next start, in a folder that belongs to whom the program belongs: in one that all may write
// to, somebody else could put other code. Where it cannot be written, a start takes longer and is the same.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/scim-bridge'));
await import('./command-line.ts');
