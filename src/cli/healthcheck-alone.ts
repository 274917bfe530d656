import { existsSync, readFileSync } from 'node:fs';
import { BridgeError } from '../domain/errors.ts';
import { defaultConfigFile } from './context.ts';
import { assertHealthy, toHealthUrl } from './healthcheck.ts';
import { exitCodes } from './json.ts';

// The health check of the image: `healthcheck` without the command line around it, which takes most of a second to load.
// Where the address is written in a way that only the settings' own reader understands, it is that command after all.

const host = findValue('host', /^host: *([\w.-]+) *$/m);
const port = process.env.OPS_PORT || findValue('port', /^port: *(\d+) *$/m);
if (host !== undefined && port !== undefined && /^\d+$/.test(port)) {
  process.exitCode = await check(toHealthUrl({ host, port: Number(port) }));
} else {
  await import('./main.ts');
}

/** Value of a setting of the address: the variable, or else a plain line of the settings file. */
function findValue(name: 'host' | 'port', line: RegExp): string | undefined {
  const { [name.toUpperCase()]: value, CONFIG } = process.env;
  if (value) return value;
  const path = CONFIG || defaultConfigFile;
  return existsSync(path) ? line.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
}

async function check(url: string): Promise<number> {
  try {
    await assertHealthy(url);
    process.stdout.write(`${url} is well\n`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.failed;
  }
}
