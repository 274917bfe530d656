// Plain JavaScript on purpose: it must parse on the old Node versions that it refuses.
const [major, minor] = process.versions.node.split('.').map(Number);
const isInstalled = /[\\/]node_modules[\\/]/.test(import.meta.url);
const remedy = isInstalled
  ? 'Install Node 24.'
  : 'On Linux run it through npm (npm start, npm test, npx scim-bridge) after "npm ci": that brings Node 24 along.\n' +
    'Elsewhere, or after "npm ci --omit=optional", install Node 24.';
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `scim-bridge needs Node 24.12 or newer, but this is ${process.version} (${process.execPath}).\n${remedy}`,
  );
  process.exit(1);
}
