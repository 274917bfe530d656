import { parseArgs } from 'node:util';
import { startSandbox } from './sandbox.ts';
import { parsePreset } from './shape.ts';

/**
 * Serves one sandbox from the command line, for benchmarks and for tests that kill it:
 * `node src/sandbox/main.ts [--host h] [--port n] [--file path] [--token t] [--shape preset] [--seed-users n]
 * [--seed-groups n] [--seed-members n] [--seed-group-sizes n,n]`. Prints one JSON line, `{ url, token }`, once it serves.
 */
const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    file: { type: 'string' },
    token: { type: 'string' },
    shape: { type: 'string', default: 'documented' },
    'seed-users': { type: 'string' },
    'seed-groups': { type: 'string' },
    'seed-members': { type: 'string' },
    'seed-group-sizes': { type: 'string' },
  },
});

const sandbox = await startSandbox({
  host: values.host,
  port: parseNumber(values.port),
  file: values.file,
  token: values.token,
  shape: parsePreset(values.shape),
  seed: {
    users: parseNumber(values['seed-users']),
    groups: parseNumber(values['seed-groups']),
    membersPerGroup: parseNumber(values['seed-members']),
    groupSizes: values['seed-group-sizes']?.split(',').map(Number),
  },
});
process.stdout.write(`${JSON.stringify({ url: sandbox.url, token: sandbox.token })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sandbox.stop());
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`not a number: ${text}`);
  return Number(text);
}
