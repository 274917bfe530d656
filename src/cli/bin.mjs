#!/usr/bin/env node
// Plain JavaScript on purpose: it must parse on the old Node versions that the check refuses.
import '../../scripts/check-node.mjs';

// Node runs TypeScript directly, but not inside node_modules: there the built files are used.
const isInstalled = /[\\/]node_modules[\\/]/.test(import.meta.url);
await import(isInstalled ? '../../dist/cli/main.js' : './main.ts');
